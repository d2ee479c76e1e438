/// Which applications may authenticate by a shared key (HMAC-SHA-256). A server that verifies a
/// proof by a shared key can also make one: an attacker who controls that server can call every
/// other server that holds the key, as its application. Keys between our own programs are therefore
/// never shared. Another application's older shared key in a server's folder is accepted, unless
/// the operator disables this:
///
///     application     accept-shared-keys   its shared key
///     one of ours     either               rejected
///     another         true                 accepted, with a warning at each load
///     another         false                rejected
package struct SharedKeyRule: Sendable {
    private let ours: Set<String>
    private let acceptsOthers: Bool

    /// - Parameters:
    ///   - ours: The applications that may never authenticate by a shared key.
    ///   - acceptsOthers: Whether all other applications may.
    package init(ours: Set<String>, acceptsOthers: Bool) {
        self.ours = ours
        self.acceptsOthers = acceptsOthers
    }

    /// Checks whether `application` may use a shared key.
    /// - Parameter path: the file of the shared key.
    /// - Throws: `ApplicationsError.sharedKey` when it is rejected.
    func check(_ application: String, _ path: String) throws(ApplicationsError) {
        let isOurs = ours.contains(application)
        guard acceptsOthers, !isOurs else {
            throw .sharedKey(path, application: application, isOurs: isOurs)
        }
    }
}
