// testlib's interface for checkers and interactors (github.com/MikeMirzayanov/testlib), written anew from its documentation, so that
// rows with such programs are judged without a file of the user's. `code(testlib=...)` takes the real one instead. Not here:
// validators, generators, scoring of groups. Exit codes: 0 right; 1, 2, 7 and 8 speak of the output; 3 of the checker itself.
#pragma once

#include <bits/stdc++.h>
#include <regex.h>
#include <unistd.h>

enum TResult { _ok = 0, _wa = 1, _pe = 2, _fail = 3, _dirt = 4, _points = 7, _unexpected_eof = 8, _partially = 16 };
enum TMode { _input, _output, _answer };
enum TTestlibMode { _unknown, _checker, _validator, _generator, _interactor, _scorer };
#define _pc(share) (TResult(_partially + (share)))
#define EOFC (255)
#define I64 "%lld"
#define U64 "%llu"
constexpr char LF = '\n', CR = '\r', TAB = '\t', SPACE = ' ';

inline TTestlibMode testlibMode = _unknown;
inline std::fstream tout;

namespace rewardkit {
inline bool finished = false;
struct Guard {  // a checker that ends without a verdict has failed
    ~Guard() {
        if (testlibMode != _unknown && !finished) _exit(_fail);
    }
};
inline Guard guard;
}  // namespace rewardkit

// Texts

template <class... Values>
std::string format(const std::string &text, Values... values) {
    if constexpr (sizeof...(values) == 0) {
        std::string made;
        for (size_t at = 0; at < text.size(); at++) made += text[at] == '%' && text[at + 1] == '%' ? text[at++] : text[at];
        return made;
    } else {
        std::string made(std::max(0, snprintf(nullptr, 0, text.c_str(), values...)) + 1, '\0');
        snprintf(made.data(), made.size(), text.c_str(), values...);
        made.pop_back();
        return made;
    }
}
template <class Value>
std::string vtos(const Value &value) {
    std::ostringstream text;
    text << value;
    return text.str();
}
template <class Value>
std::string toString(const Value &value) { return vtos(value); }
template <class Value>
std::string toHumanReadableString(const Value &value) { return vtos(value); }
inline bool isEof(int c) { return (c & 255) == EOFC; }
inline bool isEoln(int c) { return c == LF || c == CR; }
inline bool isBlanks(int c) { return isEoln(c) || c == SPACE || c == TAB; }
inline std::string upperCase(std::string text) {
    for (char &c : text) if ('a' <= c && c <= 'z') c -= 32;
    return text;
}
inline std::string lowerCase(std::string text) {
    for (char &c : text) if ('A' <= c && c <= 'Z') c += 32;
    return text;
}
inline std::string trim(const std::string &text) {
    size_t first = 0, last = text.size();
    while (first < last && isBlanks(text[first])) first++;
    while (first < last && isBlanks(text[last - 1])) last--;
    return text.substr(first, last - first);
}
inline std::string compress(const std::string &text) {
    return text.size() <= 64 ? text : text.substr(0, 30) + "..." + text.substr(text.size() - 31);
}
inline std::string englishEnding(int number) {
    if (number / 10 % 10 == 1) return "th";
    return number % 10 == 1 ? "st" : number % 10 == 2 ? "nd" : number % 10 == 3 ? "rd" : "th";
}
template <class Iterator, class Separator>
std::string join(Iterator first, Iterator last, Separator separator) {
    std::ostringstream text;
    for (Iterator at = first; at != last; ++at) {
        if (at != first) text << separator;
        text << *at;
    }
    return text.str();
}
template <class Iterator>
std::string join(Iterator first, Iterator last) { return join(first, last, ' '); }
template <class Values, class Separator>
std::string join(const Values &values, Separator separator) { return join(values.begin(), values.end(), separator); }
template <class Values>
std::string join(const Values &values) { return join(values, ' '); }
inline std::vector<std::string> split(const std::string &text, const std::string &separators) {
    std::vector<std::string> parts(1);
    for (char c : text) {
        if (separators.find(c) != std::string::npos) parts.emplace_back();
        else parts.back() += c;
    }
    return parts;
}
inline std::vector<std::string> split(const std::string &text, char separator) { return split(text, std::string(1, separator)); }
template <class Separator>
std::vector<std::string> tokenize(const std::string &text, Separator separator) {
    std::vector<std::string> parts = split(text, separator);
    parts.erase(std::remove(parts.begin(), parts.end(), ""), parts.end());
    return parts;
}
template <class... Values>
void println(const Values &...values) {
    const char *gap = "";
    ((std::cout << gap << values, gap = " "), ...);
    std::cout << std::endl;
}

/// A pattern over whole words: sets, groups, `|`, `*`, `+`, `?` and `{2,5}`; all other characters stand for themselves.
class pattern {
    std::string text;

   public:
    pattern(std::string source) : text(std::move(source)) {}
    pattern(const char *source) : text(source) {}
    bool matches(const std::string &word) const {
        std::string posix = "^(";
        bool set = false;
        for (size_t at = 0; at < text.size(); at++) {
            char c = text[at];
            if (c == '\\' && at + 1 < text.size()) c = text[++at], posix += set || std::isalnum(c) ? "" : "\\";
            else if (c == '[') set = true;
            else if (c == ']') set = false;
            else if (!set && std::strchr(".^$", c)) posix += '\\';
            posix += c;
        }
        regex_t compiled;
        if (regcomp(&compiled, (posix + ")$").c_str(), REG_EXTENDED | REG_NOSUB)) _exit(_fail);
        bool found = !regexec(&compiled, word.c_str(), 0, nullptr, 0);
        regfree(&compiled);
        return found;
    }
    std::string src() const { return text; }
};

// Numbers

inline bool __testlib_isNaN(double value) { return std::isnan(value); }
inline bool __testlib_isInfinite(double value) { return std::isinf(value); }
inline bool doubleCompare(double expected, double result, double error) {
    if (std::isnan(expected) || std::isinf(expected)) return std::isnan(expected) ? std::isnan(result) : expected == result;
    if (std::isnan(result) || std::isinf(result)) return false;
    if (std::fabs(result - expected) <= error + 1e-15) return true;
    auto [low, high] = std::minmax({expected * (1 - error), expected * (1 + error)});
    return low - 1e-15 <= result && result <= high + 1e-15;
}
inline double doubleDelta(double expected, double result) {
    double absolute = std::fabs(result - expected);
    return std::fabs(expected) > 1e-9 ? std::min(absolute, std::fabs(absolute / expected)) : absolute;
}

struct random_t {
    std::mt19937_64 engine{20261123};
    void setSeed(long long seed) { engine.seed(seed); }
    void setSeed(int, char **) {}
    double next() { return std::uniform_real_distribution<>(0, 1)(engine); }
    template <class Number>
    Number next(Number low, Number high) {  // both ends included
        if constexpr (std::is_floating_point_v<Number>) return low + (high - low) * next();
        else return std::uniform_int_distribution<Number>(low, high)(engine);
    }
    template <class Number>
    Number next(Number count) {  // from 0 to count - 1
        if constexpr (std::is_floating_point_v<Number>) return count * next();
        else return next<Number>(0, count - 1);
    }
    template <class Values>
    auto any(const Values &values) { return *std::next(values.begin(), next<long long>(values.size())); }
    template <class Number = int>
    std::vector<Number> perm(Number size, Number first = 0) {
        std::vector<Number> made(size);
        std::iota(made.begin(), made.end(), first);
        std::shuffle(made.begin(), made.end(), engine);
        return made;
    }
};
inline random_t rnd;
template <class Iterator>
void shuffle(Iterator first, Iterator last) { std::shuffle(first, last, rnd.engine); }

// Streams

struct InStream {
    FILE *file = nullptr;
    TMode mode = _input;
    bool strict = false;
    std::string name;
    int testCase = 0;
    size_t maxFileSize = 0, maxTokenLength = 0, maxMessageLength = 0;  // the box bounds them

    [[noreturn]] void quit(TResult result, const std::string &message) {
        if (mode != _output && result != _fail) quit_at_once(_fail, message);
        bool accepts = result == _ok || result == _points || result >= _partially;
        if (accepts && testlibMode == _checker && !seekEof()) quit_at_once(_pe, "extra information in the output");
        quit_at_once(result, message);
    }
    template <class... Values>
    [[noreturn]] void quitf(TResult result, const std::string &text, Values... values) { quit(result, format(text, values...)); }
    template <class... Values>
    void quitif(bool condition, TResult result, const std::string &text, Values... values) {
        if (condition) quitf(result, text, values...);
    }
    template <class... Values>
    void ensuref(bool condition, const std::string &text, Values... values) { quitif(!condition, _wa, text, values...); }
    void rewardkit_ensure(bool condition, const std::string &text) { quitif(!condition, _wa, "%s", text.c_str()); }

    char nextChar() { return char(getc(file)); }  // EOFC at the end
    char readChar() { return nextChar(); }
    char curChar() {
        int c = getc(file);
        ungetc(c, file);
        return char(c);
    }
    void unreadChar(int c) { ungetc(c, file); }
    void skipChar() { nextChar(); }
    char readChar(char wanted) {
        char c = nextChar();
        if (c != wanted) quitf(_pe, "unexpected character #%d, not #%d", c, wanted);
        return c;
    }
    char readSpace() { return readChar(SPACE); }
    void skipBlanks() {
        while (isBlanks(curChar()) && !feof(file)) nextChar();
    }
    bool eof() {
        int c = getc(file);
        ungetc(c, file);
        return c == EOF;
    }
    bool seekEof() {
        skipBlanks();
        return eof();
    }
    bool eoln() {  // takes the end of the line where there is one
        if (eof()) return !strict;
        int c = getc(file);
        if (c == LF) return true;
        if (c == CR && curChar() == LF) return getc(file), true;
        return ungetc(c, file), false;
    }
    bool seekEoln() {
        while (curChar() == SPACE || curChar() == TAB) nextChar();
        return eoln();
    }
    void nextLine() { readLine(); }
    void readEoln() {
        if (!eoln()) quit(_pe, "expected the end of a line");
    }
    void readEof() {
        if (!eof()) quit(_pe, "expected the end of the file");
    }
    void close() { fclose(file); }
    void reset() { rewind(file); }

    std::string readToken() {
        if (!strict) skipBlanks();
        std::string word;
        if (eof()) quit(_unexpected_eof, "unexpected end of file - token expected");
        for (int c = getc(file); c != EOF; c = getc(file)) {
            if (isBlanks(c)) {
                ungetc(c, file);
                break;
            }
            word += char(c);
        }
        if (word.empty()) quit(_pe, "unexpected white space - token expected");
        return word;
    }
    std::string readLine() {
        std::string line;
        for (int c = getc(file); c != EOF && c != LF; c = getc(file)) line += char(c);
        if (!line.empty() && line.back() == CR) line.pop_back();
        return line;
    }
    std::string readToken(const pattern &wanted, const std::string &what = "") { return fitting(readToken(), wanted, what); }
    std::string readLine(const pattern &wanted, const std::string &what = "") { return fitting(readLine(), wanted, what); }
    template <class... Options> std::string readWord(const Options &...options) { return readToken(options...); }
    template <class... Options> std::string readString(const Options &...options) { return readLine(options...); }
    template <class... Options> void readTokenTo(std::string &word, const Options &...options) { word = readToken(options...); }
    template <class... Options> void readWordTo(std::string &word, const Options &...options) { word = readToken(options...); }
    template <class... Options> void readLineTo(std::string &line, const Options &...options) { line = readLine(options...); }
    template <class... Options> void readStringTo(std::string &line, const Options &...options) { line = readLine(options...); }

    /// An integer in its one spelling: no plus, no leading zeros, no minus before zero.
    template <class Number>
    Number integer(const std::string &word) {
        bool minus = std::is_signed_v<Number> && word[0] == '-' && word.size() > 1;
        Number value = 0;
        bool fits = true;
        for (size_t at = minus; at < word.size(); at++) {
            if (word[at] < '0' || word[at] > '9') quitf(_pe, "expected an integer, but '%s' found", compress(word).c_str());
            fits &= !__builtin_mul_overflow(value, Number(10), &value);
            int digit = word[at] - '0';
            fits &= !(minus ? __builtin_sub_overflow(value, digit, &value) : __builtin_add_overflow(value, digit, &value));
        }
        bool plain = word.size() == size_t(1 + minus) ? !(minus && value == 0) : word[minus] != '0';
        if (word.empty() || !fits || !plain) quitf(_pe, "expected an integer, but '%s' found", compress(word).c_str());
        return value;
    }
    double real(const std::string &word) {
        char *end = nullptr;
        double value = std::strtod(word.c_str(), &end);
        bool known = word.find_first_not_of("0123456789.eE+-") == std::string::npos;
        if (word.empty() || *end || !known) quitf(_pe, "expected a double, but '%s' found", compress(word).c_str());
        return value;
    }
    double plain_real(const std::string &word, int fewest, int most) {
        size_t dot = word.find('.');
        int after = dot == std::string::npos ? 0 : int(word.size() - dot - 1);
        if (!pattern("-?(0|[1-9][0-9]*)([.][0-9]+)?").matches(word) || after < fewest || after > most)
            quitf(_pe, "expected a double with %d to %d digits after its point, but '%s' found", fewest, most, compress(word).c_str());
        return real(word);
    }
    template <class Number>
    Number within(Number value, Number low, Number high, const std::string &what) {
        if (!(low <= value && value <= high))
            quit(_wa, (what.empty() ? "a number" : what) + " = " + vtos(value) + " violates the range [" + vtos(low) + ", " + vtos(high) + "]");
        return value;
    }
    std::string fitting(const std::string &text, const pattern &wanted, const std::string &what) {
        if (!wanted.matches(text)) quit(_wa, (what.empty() ? "a word" : what) + " '" + compress(text) + "' is not of the form " + wanted.src());
        return text;
    }
#define REWARDKIT_READERS(One, Many, Type, READ)                                                                 \
    Type One() { return READ; }                                                                                  \
    Type One(Type low, Type high, const std::string &what = "") { return within<Type>(One(), low, high, what); } \
    std::vector<Type> Many(int size, int = 1) {                                                                  \
        std::vector<Type> made;                                                                                  \
        while (int(made.size()) < size) made.push_back(One());                                                   \
        return made;                                                                                             \
    }                                                                                                            \
    std::vector<Type> Many(int size, Type low, Type high, const std::string &what = "", int = 1) {               \
        std::vector<Type> made;                                                                                  \
        while (int(made.size()) < size) made.push_back(One(low, high, what));                                    \
        return made;                                                                                             \
    }
    REWARDKIT_READERS(readInt, readInts, int, integer<int>(readToken()))
    REWARDKIT_READERS(readInteger, readIntegers, int, integer<int>(readToken()))
    REWARDKIT_READERS(readLong, readLongs, long long, integer<long long>(readToken()))
    REWARDKIT_READERS(readUnsignedLong, readUnsignedLongs, unsigned long long, integer<unsigned long long>(readToken()))
    REWARDKIT_READERS(readDouble, readDoubles, double, real(readToken()))
    REWARDKIT_READERS(readReal, readReals, double, real(readToken()))
#undef REWARDKIT_READERS
    double readStrictDouble(double low, double high, int fewest = 0, int most = 100, const std::string &what = "") {
        return within(plain_real(readToken(), fewest, most), low, high, what);
    }
    double readStrictReal(double low, double high, int fewest = 0, int most = 100, const std::string &what = "") {
        return readStrictDouble(low, high, fewest, most, what);
    }
#define REWARDKIT_READERS(One, Many)                                                                                 \
    std::vector<std::string> Many(int size, int = 1) {                                                               \
        std::vector<std::string> made;                                                                               \
        while (int(made.size()) < size) made.push_back(One());                                                       \
        return made;                                                                                                 \
    }                                                                                                                \
    std::vector<std::string> Many(int size, const pattern &wanted, const std::string &what = "", int = 1) {          \
        std::vector<std::string> made;                                                                               \
        while (int(made.size()) < size) made.push_back(One(wanted, what));                                           \
        return made;                                                                                                 \
    }
    REWARDKIT_READERS(readToken, readTokens)
    REWARDKIT_READERS(readToken, readWords)
    REWARDKIT_READERS(readLine, readLines)
    REWARDKIT_READERS(readLine, readStrings)
#undef REWARDKIT_READERS

   private:
    [[noreturn]] void quit_at_once(TResult result, const std::string &message) {
        rewardkit::finished = true;
        std::cerr << (testCase ? "test case " + vtos(testCase) + ": " : "") << message << std::endl;
        if (tout.is_open()) tout.close();
        std::exit(result >= _partially || result == _points ? _points : result == _unexpected_eof ? _pe : result);
    }
};

inline InStream inf, ouf, ans;

[[noreturn]] inline void quit(TResult result, const std::string &message = "") { ouf.quit(result, message); }
template <class... Values>
[[noreturn]] void quitf(TResult result, const std::string &text, Values... values) { ouf.quitf(result, text, values...); }
template <class... Values>
void quitif(bool condition, TResult result, const std::string &text, Values... values) { ouf.quitif(condition, result, text, values...); }
template <class Points, class... Values>
[[noreturn]] void quitp(Points points, const std::string &text = "", Values... values) { ouf.quit(_points, "points " + vtos(points) + " " + format(text, values...)); }
template <class... Values>
[[noreturn]] void quitpi(const std::string &info, const std::string &text = "", Values... values) { ouf.quit(_points, info + " " + format(text, values...)); }
template <class... Values>
void ensuref(bool condition, const std::string &text, Values... values) { ouf.quitif(!condition, _fail, text, values...); }
inline void rewardkit_ensure(bool condition, const std::string &text) { ouf.quitif(!condition, _fail, "%s", text.c_str()); }
#define ensure(condition) rewardkit_ensure(condition, "condition failed: " #condition)
template <class Value, class... Values>
[[noreturn]] void expectedButFound(TResult result, const Value &expected, const Value &found, const std::string &text = "", Values... values) {
    ouf.quit(result, format(text, values...) + " expected '" + vtos(expected) + "', found '" + vtos(found) + "'");
}
inline long long stringToLongLong(InStream &stream, const char *word) { return stream.integer<long long>(word); }
inline double stringToDouble(InStream &stream, const char *word) { return stream.real(word); }
inline double stringToStrictDouble(InStream &stream, const char *word, int fewest, int most) { return stream.plain_real(word, fewest, most); }
inline void setTestCase(int number) { inf.testCase = ouf.testCase = ans.testCase = number; }
inline void unsetTestCase() { setTestCase(0); }
template <class... Values>
void setName(const char *, Values...) {}

namespace rewardkit {
inline void open(InStream &stream, TMode mode, const char *name) {
    stream.mode = mode, stream.name = name;
    stream.file = fopen(name, "rb");
    if (!stream.file) stream.quit(_pe, std::string("cannot open ") + name);
}
}  // namespace rewardkit
inline void registerTestlibCmd(int count, char *names[]) {
    testlibMode = _checker;
    ouf.mode = _output;
    if (count < 4) quit(_fail, "a checker takes three files: input, output, answer");
    rewardkit::open(inf, _input, names[1]);
    rewardkit::open(ouf, _output, names[2]);
    rewardkit::open(ans, _answer, names[3]);
}
inline void registerInteraction(int count, char *names[]) {
    testlibMode = _interactor;
    ouf.mode = _output;
    if (count < 3) quit(_fail, "an interactor takes two files: input, output");
    rewardkit::open(inf, _input, names[1]);
    tout.open(names[2], std::ios_base::out);
    if (count > 3) rewardkit::open(ans, _answer, names[3]);
    ouf.file = stdin;
}
