"""numpy as a peer: python3 numpy-sort.py DTYPE IN OUT sorts a file of numbers. Without arguments: prints its version."""

import sys

import numpy

if len(sys.argv) == 1:
    print(numpy.__version__)
else:
    dtype, source, target = sys.argv[1:]
    numbers = numpy.fromfile(source, dtype=dtype)
    numbers.sort()
    numbers.tofile(target)
