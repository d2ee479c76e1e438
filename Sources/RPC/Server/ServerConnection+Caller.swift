import Messages
import ServiceRuntime
import Synchronization

/// What a server's connection knows of who is at its other end.
struct ConnectionPeer {
    /// What TLS says of it.
    var channel = ChannelIdentity.plaintext
    /// Who said Hello.
    var caller: Caller?
    /// What it may call.
    var permissions = MethodPermissions.all
    /// Of the list of callers that both come from.
    var generation = 0
}

/// Asks a connection to look its caller up again: the list of callers has changed.
struct CallersChanged {}

/// Who may call: asked with the Hello, and again at each call, so that whoever is taken off the
/// list is out at once, however long its connection has stood.
extension ServerConnection {
    /// The application that `hello` proves.
    func proved(_ hello: WireV1.Hello) -> Application? {
        peer.generation = shared.callers.generation.load(ordering: .acquiring)
        peer.caller = shared.callers.applications.verified(
            hello, challenge: challenge, over: peer.channel)
        guard let application = peer.caller?.application else { return nil }
        peer.permissions = shared.callers.permissions(of: application.name)
        return application
    }

    /// Whether the caller may call `entry`; if not, it has been told.
    func admits(_ call: UInt64, _ entry: MethodTable.Entry) -> Bool {
        if peer.generation != shared.callers.generation.load(ordering: .relaxed) {
            guard isStillAdmitted(refusing: call) else { return false }
        }
        if peer.permissions.allows(entry.index) { return true }
        refuse(
            call,
            ServiceError(
                .permissionDenied, detail: "the caller's list does not name this method",
                notProcessed: true))
        return false
    }

    /// Looks the caller up in the list in force.
    /// - Parameter call: one that is not begun, to be refused before the connection ends.
    /// - Returns: false when it may not call any more; then the connection is ending.
    @discardableResult
    func isStillAdmitted(refusing call: UInt64? = nil) -> Bool {
        guard let caller = peer.caller else { return true }  // it has yet to say Hello
        // Perhaps long after the last read turn: what ends now ends a second from now.
        turnUptime = shared.time.uptime()
        peer.generation = shared.callers.generation.load(ordering: .acquiring)
        switch shared.callers.applications.standing(of: caller, over: peer.channel) {
        case .admitted(let application):
            peer.caller = Caller(application: application, credential: caller.credential)
            peer.permissions = shared.callers.permissions(of: application.name)
            self.application = application
            return true
        case .keyRemoved:
            // What it has begun may end; what it begins anew it proves by a key that is left.
            if machine.phase == .open { drain(.draining, "your key is gone", refusing: call) }
            return false
        case .removed:
            if let call { refuse(call, ServiceError(.unauthenticated, notProcessed: true)) }
            goAway(.unauthenticated, "this application may not call any more")
            return false
        }
    }
}
