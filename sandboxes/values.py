"""Tagged values: how arguments go into a box and results come out. The format is in `sandboxes.agent.codec`.

What comes out was written by a hostile program: compare the tagged form or `decode` it (bounded, raises `ValueTooBig` only),
and mind that a set or dict of chosen integers can be slow to hash.
"""

from sandboxes.agent.codec import BinaryTree, LinkedList, ValueTooBig, encode
from sandboxes.agent.decode import decode

__all__ = ["BinaryTree", "LinkedList", "ValueTooBig", "decode", "encode"]
