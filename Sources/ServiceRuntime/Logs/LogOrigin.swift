/// The process that writes a log line.
package struct LogOrigin: Sendable {
    /// The service's short name, for example `session`.
    package let service: String
    /// The program's version. Omitted where empty.
    package let version: String
    /// Identifies the instance of the service, for example `HOST:PID`. Omitted where empty.
    package let instance: String

    /// The origin of a process's lines.
    package init(service: String, version: String = "", instance: String = "") {
        self.service = service
        self.version = version
        self.instance = instance
    }
}
