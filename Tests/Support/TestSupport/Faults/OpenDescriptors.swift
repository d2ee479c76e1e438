import Glibc

/// The open files and sockets of this process, as the system lists them.
package enum OpenDescriptors {
    /// Counts the sockets with one of these ports at either end. Other tests of this process use
    /// other ports.
    package static func count(ofPorts ports: Set<Int>) -> Int {
        descriptors().count { descriptor in
            ports.contains(port(descriptor, getsockname))
                || ports.contains(port(descriptor, getpeername))
        }
    }

    /// The paths of the open files; that of a file without a name ends with " (deleted)".
    package static func paths() -> [String] {
        descriptors().compactMap { descriptor in
            var path = [CChar](repeating: 0, count: 4_096)
            let count = readlink("/proc/self/fd/\(descriptor)", &path, path.count)
            guard count > 0 else { return nil }
            return String(decoding: path[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }

    private static func descriptors() -> [Int32] {
        guard let folder = opendir("/proc/self/fd") else { return [] }
        defer { closedir(folder) }
        var found: [Int32] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let descriptor = Int32(name) { found.append(descriptor) }
        }
        return found
    }

    private static func port(
        _ descriptor: Int32,
        _ call: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> Int {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call(descriptor, $0, &size)
            }
        }
        guard result == 0, address.sin_family == sa_family_t(AF_INET) else { return -1 }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}

/// The memory of this process.
package enum ResidentMemory {
    /// The resident set in KiB.
    package static func kibibytes() -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 128)
        let count = fread(&buffer, 1, buffer.count, file)
        let words = String(decoding: buffer[..<count], as: UTF8.self).split(separator: " ")
        return words.count > 1 ? (Int(words[1]) ?? 0) * 4 : 0
    }
}
