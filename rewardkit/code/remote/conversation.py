# Before an interactor, in its process: what it says to the program and hears from it. `candidate` sends requests to the program.


class RewardkitBroken(BaseException):
    """The interactor fails by itself."""


class Refused(Exception):
    """What the program said is not what was asked for."""


class ProgramError(Exception):
    """The program's side of the conversation failed."""


def _ask(action, text):
    try:
        return candidate(action, text)
    except Exception as error:
        raise ProgramError(f"{type(error).__name__}: {error}") from None


class Program:
    """The program, as the interactor sees it. What it says and can't be read ends the conversation as wrong."""

    def __init__(self):
        self.heard = False

    def write(self, *values):
        """Send values as one line."""
        _ask("write", " ".join(map(str, values)) + "\n")

    def read(self):
        """The next line without its end."""
        line = _ask("read", "")
        self.heard = True
        if type(line) is not str or not line:
            raise Refused("the program says nothing more")
        return line.rstrip("\r\n")

    def read_int(self, low=None, high=None):
        """The next line as an integer, within bounds."""
        line = self.read()
        try:
            value = int(line)
        except ValueError:
            raise Refused(f"{line[:60]!r} is no integer") from None
        if (low is not None and value < low) or (high is not None and value > high):
            raise Refused(f"{value} is out of bounds")
        return value


def _converse(interact, given, answer):
    _ask("start", "")
    program = Program()
    try:
        right = interact(given, answer, program)
    except Refused as error:
        raise AssertionError(str(error)) from None
    except ProgramError:
        raise
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        if program.heard and type(error) is not NameError:  # else what a program says could leave its row unjudged
            raise AssertionError(f"the interactor breaks down on what the program said ({said})") from None
        raise RewardkitBroken(said) from None
    if right != True:  # noqa: E712 - 1 and numpy's truth values, too
        raise AssertionError("the interactor refuses what the program said")
    if _ask("end", "") is not True:
        raise RuntimeError("the program does not end well")
