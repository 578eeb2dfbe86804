/** Loaded before gpusort (node --require): each write takes a moment longer, so that a signal finds it under way. */
const fs = require('node:fs');
const { writev } = fs;
fs.writev = (fd, blocks, position, done) => { setTimeout(() => { writev(fd, blocks, position, done); }, 200); };
