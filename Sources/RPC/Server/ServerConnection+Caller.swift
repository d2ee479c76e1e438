import Messages
import ServiceRuntime
import Synchronization

/// Authentication and permissions of callers. They are checked at the Hello and again at each call,
/// so that a caller that is removed from the list is rejected at once, however old its connection
/// is.
extension ServerConnection {
    /// The application that `hello` authenticates; nil if it does not.
    func proved(_ hello: WireV1.Hello) -> Application? {
        peer.generation = shared.callers.generation.load(ordering: .acquiring)
        peer.caller = shared.callers.applications.verified(
            hello, challenge: challenge, over: peer.channel)
        guard let application = peer.caller?.application else { return nil }
        peer.permissions = shared.callers.permissions(of: application.name)
        return application
    }

    /// Whether the caller may call `entry`; if not, the call has been rejected.
    func admits(_ call: UInt64, _ entry: MethodTable.Entry) -> Bool {
        if peer.generation != shared.callers.generation.load(ordering: .relaxed) {
            guard isStillAdmitted(refusing: call) else { return false }
        }
        if peer.permissions.allows(entry.index) { return true }
        refuse(
            call,
            ServiceError(
                .permissionDenied, detail: "the callers list does not allow this method",
                notProcessed: true))
        return false
    }

    /// Checks the caller against the current list.
    /// - Parameter call: a call that was not started, to be rejected before the connection ends.
    /// - Returns: false when the caller may no longer call; the connection is then ending.
    @discardableResult
    func isStillAdmitted(refusing call: UInt64? = nil) -> Bool {
        guard let caller = peer.caller else { return true }  // no Hello yet
        // The last read may be long ago, and the timeouts set below start from now.
        eventUptime = shared.time.uptime()
        peer.generation = shared.callers.generation.load(ordering: .acquiring)
        switch shared.callers.applications.standing(of: caller, over: peer.channel) {
        case .admitted(let application):
            peer.caller = Caller(application: application, credential: caller.credential)
            peer.permissions = shared.callers.permissions(of: application.name)
            self.application = application
            return true
        case .keyRemoved:
            // Running calls may finish; after reconnecting, the caller must use one of its other
            // keys.
            if machine.phase == .open { drain(.draining, "your key was removed", refusing: call) }
            return false
        case .removed:
            if let call { refuse(call, ServiceError(.unauthenticated, notProcessed: true)) }
            goAway(.unauthenticated, "this application may not call any more")
            return false
        }
    }

    /// The peer of a server connection.
    struct Peer {
        /// What TLS established about it.
        var channel = Caller.ChannelIdentity.plaintext
        /// The caller that the Hello authenticated.
        var caller: Caller?
        /// The methods that it may call.
        var permissions = MethodPermissions.all
        /// The generation of the callers list from which both were read.
        var generation = 0
    }
}
