/**
 * The C library's text (glibc 2.36, strerror) for each system error, by name, or by its number on Linux if
 * Node has no name for it.
 */
export const SYSTEM_TEXTS: Readonly<Record<string, string>> = {
  EPERM: 'Operation not permitted',
  ENOENT: 'No such file or directory',
  ESRCH: 'No such process',
  EINTR: 'Interrupted system call',
  EIO: 'Input/output error',
  ENXIO: 'No such device or address',
  E2BIG: 'Argument list too long',
  ENOEXEC: 'Exec format error',
  EBADF: 'Bad file descriptor',
  ECHILD: 'No child processes',
  EAGAIN: 'Resource temporarily unavailable',
  EWOULDBLOCK: 'Resource temporarily unavailable',
  ENOMEM: 'Cannot allocate memory',
  EACCES: 'Permission denied',
  EFAULT: 'Bad address',
  15: 'Block device required', // ENOTBLK
  EBUSY: 'Device or resource busy',
  EEXIST: 'File exists',
  EXDEV: 'Invalid cross-device link',
  ENODEV: 'No such device',
  ENOTDIR: 'Not a directory',
  EISDIR: 'Is a directory',
  EINVAL: 'Invalid argument',
  ENFILE: 'Too many open files in system',
  EMFILE: 'Too many open files',
  ENOTTY: 'Inappropriate ioctl for device',
  ETXTBSY: 'Text file busy',
  EFBIG: 'File too large',
  ENOSPC: 'No space left on device',
  ESPIPE: 'Illegal seek',
  EROFS: 'Read-only file system',
  EMLINK: 'Too many links',
  EPIPE: 'Broken pipe',
  EDOM: 'Numerical argument out of domain',
  ERANGE: 'Numerical result out of range',
  EDEADLK: 'Resource deadlock avoided',
  35: 'Resource deadlock avoided', // EDEADLOCK
  ENAMETOOLONG: 'File name too long',
  ENOLCK: 'No locks available',
  ENOSYS: 'Function not implemented',
  ENOTEMPTY: 'Directory not empty',
  ELOOP: 'Too many levels of symbolic links',
  ENOMSG: 'No message of desired type',
  EIDRM: 'Identifier removed',
  44: 'Channel number out of range', // ECHRNG
  45: 'Level 2 not synchronized', // EL2NSYNC
  46: 'Level 3 halted', // EL3HLT
  47: 'Level 3 reset', // EL3RST
  48: 'Link number out of range', // ELNRNG
  EUNATCH: 'Protocol driver not attached',
  50: 'No CSI structure available', // ENOCSI
  51: 'Level 2 halted', // EL2HLT
  52: 'Invalid exchange', // EBADE
  53: 'Invalid request descriptor', // EBADR
  54: 'Exchange full', // EXFULL
  55: 'No anode', // ENOANO
  56: 'Invalid request code', // EBADRQC
  57: 'Invalid slot', // EBADSLT
  59: 'Bad font file format', // EBFONT
  ENOSTR: 'Device not a stream',
  ENODATA: 'No data available',
  ETIME: 'Timer expired',
  ENOSR: 'Out of streams resources',
  ENONET: 'Machine is not on the network',
  65: 'Package not installed', // ENOPKG
  66: 'Object is remote', // EREMOTE
  ENOLINK: 'Link has been severed',
  68: 'Advertise error', // EADV
  69: 'Srmount error', // ESRMNT
  70: 'Communication error on send', // ECOMM
  EPROTO: 'Protocol error',
  EMULTIHOP: 'Multihop attempted',
  73: 'RFS specific error', // EDOTDOT
  EBADMSG: 'Bad message',
  EOVERFLOW: 'Value too large for defined data type',
  76: 'Name not unique on network', // ENOTUNIQ
  77: 'File descriptor in bad state', // EBADFD
  78: 'Remote address changed', // EREMCHG
  79: 'Can not access a needed shared library', // ELIBACC
  80: 'Accessing a corrupted shared library', // ELIBBAD
  81: '.lib section in a.out corrupted', // ELIBSCN
  82: 'Attempting to link in too many shared libraries', // ELIBMAX
  83: 'Cannot exec a shared library directly', // ELIBEXEC
  EILSEQ: 'Invalid or incomplete multibyte or wide character',
  85: 'Interrupted system call should be restarted', // ERESTART
  86: 'Streams pipe error', // ESTRPIPE
  87: 'Too many users', // EUSERS
  ENOTSOCK: 'Socket operation on non-socket',
  EDESTADDRREQ: 'Destination address required',
  EMSGSIZE: 'Message too long',
  EPROTOTYPE: 'Protocol wrong type for socket',
  ENOPROTOOPT: 'Protocol not available',
  EPROTONOSUPPORT: 'Protocol not supported',
  ESOCKTNOSUPPORT: 'Socket type not supported',
  ENOTSUP: 'Operation not supported',
  EOPNOTSUPP: 'Operation not supported',
  96: 'Protocol family not supported', // EPFNOSUPPORT
  EAFNOSUPPORT: 'Address family not supported by protocol',
  EADDRINUSE: 'Address already in use',
  EADDRNOTAVAIL: 'Cannot assign requested address',
  ENETDOWN: 'Network is down',
  ENETUNREACH: 'Network is unreachable',
  ENETRESET: 'Network dropped connection on reset',
  ECONNABORTED: 'Software caused connection abort',
  ECONNRESET: 'Connection reset by peer',
  ENOBUFS: 'No buffer space available',
  EISCONN: 'Transport endpoint is already connected',
  ENOTCONN: 'Transport endpoint is not connected',
  ESHUTDOWN: 'Cannot send after transport endpoint shutdown',
  109: 'Too many references: cannot splice', // ETOOMANYREFS
  ETIMEDOUT: 'Connection timed out',
  ECONNREFUSED: 'Connection refused',
  EHOSTDOWN: 'Host is down',
  EHOSTUNREACH: 'No route to host',
  EALREADY: 'Operation already in progress',
  EINPROGRESS: 'Operation now in progress',
  ESTALE: 'Stale file handle',
  117: 'Structure needs cleaning', // EUCLEAN
  118: 'Not a XENIX named type file', // ENOTNAM
  119: 'No XENIX semaphores available', // ENAVAIL
  120: 'Is a named type file', // EISNAM
  EREMOTEIO: 'Remote I/O error',
  EDQUOT: 'Disk quota exceeded',
  123: 'No medium found', // ENOMEDIUM
  124: 'Wrong medium type', // EMEDIUMTYPE
  ECANCELED: 'Operation canceled',
  126: 'Required key not available', // ENOKEY
  127: 'Key has expired', // EKEYEXPIRED
  128: 'Key has been revoked', // EKEYREVOKED
  129: 'Key was rejected by service', // EKEYREJECTED
  130: 'Owner died', // EOWNERDEAD
  131: 'State not recoverable', // ENOTRECOVERABLE
  132: 'Operation not possible due to RF-kill', // ERFKILL
};
