import Glibc

/// Files with the memory of a program that crashed.
package enum CoreDumps {
    /// Lets the kernel, systemd and apport keep none of this process, and of those that it starts.
    ///
    /// Attack: a crash writes master keys and passwords of running calls to a disk, where backups
    /// and readers of another kind find them. A crash still writes its backtrace to the log.
    package static func disable() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }
}
