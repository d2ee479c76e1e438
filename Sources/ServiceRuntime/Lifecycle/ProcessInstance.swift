import Glibc

/// Identifies this process among those of the same service.
package enum ProcessInstance {
    /// `HOST:PID`. In a container, the host's name is the container's.
    package static let text: String = {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "\(getpid())" }
        let host = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
        return "\(host):\(getpid())"
    }()
}

/// The version of Postern, incremented with each release.
package enum ProductVersion {
    /// Major, minor, patch.
    package static let text = "0.1.0"
}
