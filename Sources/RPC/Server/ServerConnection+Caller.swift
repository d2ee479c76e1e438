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

    /// Whether the caller may still call: it is checked again if the callers list was replaced.
    /// Otherwise `call` has been rejected, and the connection is ending.
    func isCallerCurrent(for call: UInt64) -> Bool {
        peer.generation == shared.callers.generation.load(ordering: .relaxed)
            || recheckCaller(refusing: call)
    }

    /// As whom a call of `entry` is served, which has `time` left.
    /// - Throws: why the call is rejected.
    func authorizedCaller(
        of head: Envelope.Request, _ entry: MethodTable.Entry, _ time: Duration
    ) throws(ServiceError) -> CallIdentity {
        // Field by field: a copy of `application` would retain all of it in each call.
        guard let name = application?.name else {
            throw ServiceError(.unauthenticated, notProcessed: true)
        }
        // Only such a caller's metadata are searched, so other calls cost nothing. From any other
        // caller a token is ignored, as an asserted address is: its calls stay its own.
        if application?.mayCarryTokens == true, let application,
            let token = try Self.applicationToken(head.metadata)
        {
            return try tokenCaller(token, head.metadata, entry, time, carriedBy: application)
        }
        guard peer.permissions.allows(entry.index) else {
            throw notPermitted(name, entry.handler.method)
        }
        return CallIdentity(
            context: context(
                of: name, head.metadata, time,
                mayAssertClientAddress: application?.mayAssertClientAddress == true))
    }

    /// The context of a call by an application, which has `time` left.
    func context(
        of application: String, _ metadata: Metadata, _ time: Duration,
        mayAssertClientAddress: Bool
    ) -> CallContext {
        CallContext(
            application: application, deadline: eventUptime + time, isCallersDeadline: true,
            metadata: metadata, mayAssertClientAddress: mayAssertClientAddress)
    }

    /// The callers list does not permit a method to an application.
    func notPermitted(_ application: String, _ method: MethodDescription) -> ServiceError {
        .notListed(application, for: method.name, by: shared.settings.service)
    }

    /// Checks the caller against the current list.
    /// - Parameter call: a call that was not started, to be rejected before the connection ends.
    /// - Returns: false when the caller may no longer call; the connection is then ending.
    @discardableResult
    func recheckCaller(refusing call: UInt64? = nil) -> Bool {
        guard let caller = peer.caller else { return true }  // no Hello yet
        // The last read may be long ago, and the timeouts set below start from now.
        eventUptime = shared.time.uptime()
        peer.generation = shared.callers.generation.load(ordering: .acquiring)
        switch shared.callers.applications.standing(of: caller, over: peer.channel) {
        case .permitted(let application):
            peer.caller = Caller(application: application, credential: caller.credential)
            peer.permissions = shared.callers.permissions(of: application.name)
            self.application = application
            endTokenStreams()
            return true
        case .keyRemoved:
            // Running calls may finish; after reconnecting, the caller must use one of its other
            // keys.
            // A connection that drains for its age already ends as soon as this one.
            drain(.draining, "your key was removed", refusing: call)
            return false
        case .removed:
            if let call {
                respond(to: call, with: ServiceError(.unauthenticated, notProcessed: true))
            }
            goAway(.unauthenticated, "this application may not call any more")
            return false
        }
    }

    /// As whom a call is served.
    struct CallIdentity {
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
