/// Whose shared keys (HMAC-SHA-256) are taken. A server that checks a proof by a shared key can
/// also make one: an attacker in that server calls all others that hold the key as its application.
/// So the keys between our own programs are never shared, and an application's older key is taken
/// where it lies in a server's folder, unless the operator refuses it:
///
///     application     accept-shared-keys   its shared key
///     one of ours     either               refused
///     another         true                 taken, with a warning at each reading
///     another         false                refused
package struct SharedKeyRule: Sendable {
    private let ours: Set<String>
    private let acceptsOthers: Bool

    /// - Parameters:
    ///   - ours: The applications that never prove themselves by a shared key.
    ///   - acceptsOthers: Whether all others may.
    package init(ours: Set<String>, acceptsOthers: Bool) {
        self.ours = ours
        self.acceptsOthers = acceptsOthers
    }

    /// - Parameter path: the file of a shared key of `application`.
    /// - Throws: `ApplicationsError.sharedKey` where it is refused.
    func check(_ application: String, _ path: String) throws(ApplicationsError) {
        let isOurs = ours.contains(application)
        guard acceptsOthers, !isOurs else {
            throw .sharedKey(path, application: application, isOurs: isOurs)
        }
    }
}
