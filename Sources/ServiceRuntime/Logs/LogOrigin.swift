/// Which process writes a log line.
package struct LogOrigin: Sendable {
    /// The service's short name, for example `session`.
    package let service: String
    /// The program's version; empty leaves it out.
    package let version: String
    /// Tells the instances of one service apart, for example `HOST:PID`; empty leaves it out.
    package let instance: String

    /// The origin of a process's lines.
    package init(service: String, version: String = "", instance: String = "") {
        self.service = service
        self.version = version
        self.instance = instance
    }
}
