import Glibc

/// The environment of this process, which the programs that it starts share.
enum EnvironmentVariable {
    /// The server of all stores, a setting of each program that has one.
    static let storeURL = "POSTERN_STORE_URL"

    /// The value of a variable; nil if it is not set.
    static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
