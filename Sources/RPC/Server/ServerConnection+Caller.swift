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

    /// As whom a call of `entry` is served; nil if the call has been rejected.
    func admitted(
        _ head: Envelope.Request, _ entry: MethodTable.Entry, _ timeout: Duration
    ) -> CallCaller? {
        if peer.generation != shared.callers.generation.load(ordering: .relaxed) {
            guard isStillAdmitted(refusing: head.call) else { return nil }
        }
        guard let application else {
            refuse(head.call, ServiceError(.unauthenticated, notProcessed: true))
            return nil
        }
        do throws(ServiceError) {
            // Only such a caller's metadata are searched, so other calls cost nothing. From any
            // other caller a token is ignored, as an asserted address is: its calls stay its own.
            if application.mayCarryTokens, let token = try Self.applicationToken(head.metadata) {
                return try tokenCaller(token, head.metadata, entry, timeout, carriedBy: application)
            }
            guard peer.permissions.allows(entry.index) else { throw Self.notPermitted }
        } catch {
            refuse(head.call, error)
            return nil
        }
        return CallCaller(
            context: context(
                of: application.name, head.metadata, timeout,
                mayAssertClientAddress: application.mayAssertClientAddress))
    }

    /// The context of a call by an application.
    func context(
        of application: String, _ metadata: Metadata, _ timeout: Duration,
        mayAssertClientAddress: Bool
    ) -> CallContext {
        CallContext(
            application: application, deadline: eventUptime + timeout - FrameLimits.deadlineMargin,
            isCallersDeadline: true, metadata: metadata,
            mayAssertClientAddress: mayAssertClientAddress)
    }

    static let notPermitted = ServiceError(
        .permissionDenied, detail: "the callers list does not allow this method",
        notProcessed: true)

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
            endTokenStreams()
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

    /// As whom a call is served.
    struct CallCaller {
        /// The application, its rights, and the call's metadata without an application token.
        let context: CallContext
        /// The application with the key that signed its token; nil if it is the connection's own.
        var byToken: Caller?
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
