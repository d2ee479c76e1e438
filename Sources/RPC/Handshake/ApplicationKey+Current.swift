import Glibc
package import ServiceRuntime

extension ApplicationKey {
    /// How long a new key must have existed before it is used. This is longer than servers take to
    /// notice it (`HostSettings.credentialsInterval`).
    private static let settleTime = Duration.seconds(30)

    /// The key file that a client of `application` should use at `now`: the newest that every
    /// server has had time to notice, or the oldest if there is no such key. A rotation therefore
    /// needs only three steps: add the new key everywhere, wait a minute, remove the old one.
    /// - Returns: nil when the application has no key.
    /// - Throws: `ApplicationsError` for a folder that cannot be read, or for a file in it whose
    ///   name is not a key's.
    package static func currentFile(
        of application: String, in folder: String, now: Timestamp
    ) throws -> String? {
        let files = try ApplicationKeyName.all(of: application, in: folder)
            .filter { $0.kind != .verifying }
            .map { "\(folder)/\($0.fileName)" }
            .map { (path: $0, changedAt: changedAt($0)) }
            .sorted { ($0.changedAt, $0.path) < ($1.changedAt, $1.path) }
        let settled = files.last { $0.changedAt + settleTime <= now }
        return (settled ?? files.first)?.path
    }

    /// When the file was last written. If that cannot be read, the epoch, so that the attempt to
    /// read the file reports the error.
    private static func changedAt(_ path: String) -> Timestamp {
        var status = stat()
        guard stat(path, &status) == 0 else { return Timestamp(milliseconds: 0) }
        let changed = status.st_mtim
        return Timestamp(milliseconds: 0) + .seconds(changed.tv_sec) + .nanoseconds(changed.tv_nsec)
    }
}
