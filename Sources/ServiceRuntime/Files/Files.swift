import Glibc

/// System calls on files. They go on after a signal has interrupted them, and after a part was
/// read or written. As with the calls themselves, `errno` says why one failed.
package enum Files {
    /// Writes all bytes: at `offset`, or without one at the file's position.
    /// - Returns: whether all were written.
    package static func write(
        _ bytes: UnsafeRawBufferPointer, to file: Int32, at offset: Int? = nil
    ) -> Bool {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count =
                if let offset {
                    pwrite(file, rest.baseAddress, rest.count, offset + done)
                } else {
                    Glibc.write(file, rest.baseAddress, rest.count)
                }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                // No byte was written, and nothing says why.
                if count == 0 { errno = EIO }
                return false
            }
            done += count
        }
        return true
    }

    /// Fills `buffer`, or reads to the file's end: from `offset` on, or without one from the file's
    /// position on.
    /// - Returns: the number of bytes read; nil if a call failed.
    package static func read(
        into buffer: UnsafeMutableRawBufferPointer, from file: Int32, at offset: Int? = nil
    ) -> Int? {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count =
                if let offset {
                    pread(file, rest.baseAddress, rest.count, offset + done)
                } else {
                    Glibc.read(file, rest.baseAddress, rest.count)
                }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Waits until the content of a file, or the entries of a folder, are on disk.
    /// - Returns: whether they are.
    package static func sync(_ path: String) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        let isOnDisk = fsync(file) == 0
        let reason = errno
        close(file)
        errno = reason
        return isOnDisk
    }

    /// Creates a folder for its owner only, unless it exists. A new one's entry is on disk on
    /// return: without it, a power failure would take the folder with all synced files in it.
    /// - Returns: whether the folder exists.
    package static func makeFolder(_ path: String) -> Bool {
        guard mkdir(path, 0o700) == 0 else { return errno == EEXIST }
        return sync(folder(of: path))
    }

    /// The folder that a file is in: `.` for a name without a folder.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The names of a folder's entries, sorted; nil if it cannot be read.
    package static func names(in folder: String) -> [String]? {
        guard let directory = opendir(folder) else { return nil }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
