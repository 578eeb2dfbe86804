/** Delays each write by 200 ms, so a signal arrives during one. Loaded before gpusort (node --require). */
const fs = require('node:fs');
const { writev } = fs;
fs.writev = (fd, blocks, position, done) => {
  setTimeout(() => {
    writev(fd, blocks, position, done);
  }, 200);
};
