package import ServiceRuntime

/// The context of a call: for a handler, what it knows about the call that it serves; for a client,
/// what it sends in addition to the request. A handler passes its context to the calls that it
/// makes, and with it the remaining time of its caller's deadline.
package struct CallContext: IdempotentCall {
    /// The caller, authenticated by its Hello; empty on a call that originates here.
    package let application: String
    /// The call's deadline, on the uptime clock of this program.
    package let deadline: Duration
    /// The call's metadata.
    package var metadata: Metadata
    /// Whether the caller may assert its user's IP address.
    package let mayAssertClientAddress: Bool
    /// Whether a caller of this program set the deadline. (Stored next to the other flag, because a
    /// context is part of every waiting call's frames.)
    package let isCallersDeadline: Bool

    /// A call that originates here, with its deadline on this program's uptime clock.
    package init(
        application: String = "", deadline: Duration, isCallersDeadline: Bool = false,
        metadata: Metadata = Metadata(), mayAssertClientAddress: Bool = false
    ) {
        self.application = application
        self.deadline = deadline
        self.isCallersDeadline = isCallersDeadline
        self.metadata = metadata
        self.mayAssertClientAddress = mayAssertClientAddress
    }

    /// The idempotency key, which makes a retry safe; 1 to 255 bytes (G-25).
    package var idempotencyKey: String? { metadata[Metadata.Key.idempotencyKey] }

    /// The user's IP address, if the caller may assert one and did. Addresses from other callers
    /// are ignored; otherwise an attacker could choose the subject of every rate limit.
    package var clientAddress: String? {
        mayAssertClientAddress ? metadata[Metadata.Key.clientAddress] : nil
    }

    /// The context of a call that is made in the session of an access token, or with nil outside a
    /// session. An empty token is sent, so that the gateway refuses it. Otherwise the call would
    /// succeed outside the user's session, for example create an account beside the guest's.
    package func bearing(_ accessToken: String?) -> CallContext {
        var context = self
        context.metadata[Metadata.Key.authorization] = accessToken.map { "Bearer \($0)" }
        return context
    }

    /// The deadline of the calls to peers in this context. Of a caller's deadline a margin is
    /// reserved, in which this program answers its caller and names the peer that did not answer
    ///
    var deadlineForPeers: Duration {
        isCallersDeadline ? deadline - FrameLimits.deadlineMargin : deadline
    }

    /// The context of a call made on behalf of this one: same deadline and trace, no other
    /// metadata.
    package func onward(idempotencyKey: String? = nil) -> CallContext {
        var onward = Metadata()
        onward[Metadata.Key.traceparent] = metadata[Metadata.Key.traceparent]
        onward[Metadata.Key.idempotencyKey] = idempotencyKey
        return CallContext(
            deadline: deadline, isCallersDeadline: isCallersDeadline, metadata: onward)
    }
}

extension CallContext {
    /// The applications of the operator: they may call operators' rpcs, and use the admin lane.
    package static let operators: Set<String> = ["tool"]
    /// The application that calls for apps, which it knows by their keys.
    package static let webService = "web"
    /// The service that keeps accounts.
    package static let identity = "identity"
    /// The service that people's calls pass through.
    package static let gateway = "gateway"
    /// The applications that manage accounts: they end an account's sessions and delete its data.
    private static let accountKeepers: Set<String> = operators.union([identity])

    /// Admits only the operator's tool, whatever the callers list says. A compromised gateway must
    /// not change signing keys, use up the capacity for subjects' secrets, or accept a wrong clock.
    /// Identity, which may send messages, must not read who receives which message or cancel
    /// messages.
    /// - Throws: `rpc/permission-denied`.
    package func requireOperator() throws(ServiceError) {
        guard Self.operators.contains(application) else { throw Self.onlyOperators }
    }

    /// Admits only identity, whatever the callers list says, and not the operator's tool: what a
    /// service has about an account is for its owner, and deleting it is a step of the account's
    /// deletion. A compromised gateway must be able to do neither.
    /// - Throws: `rpc/permission-denied`.
    package func requireIdentity() throws(ServiceError) {
        guard application == Self.identity else { throw Self.onlyIdentity }
    }

    /// Admits only the gateway, whatever the callers list says, where a call's metadata are read: it
    /// is the program that has checked them.
    /// - Throws: `rpc/permission-denied`.
    package func requireGateway() throws(ServiceError) {
        guard application == Self.gateway else { throw Self.onlyGateway }
    }

    /// Admits only identity and the operator's tool: a compromised gateway must not end all
    /// sessions of the accounts whose ids it has seen and lock their users out.
    /// - Throws: `rpc/permission-denied`.
    package func requireAccountKeeper() throws(ServiceError) {
        guard Self.accountKeepers.contains(application) else { throw Self.onlyAccountKeepers }
    }

    /// The refusal of `requireOperator`.
    package static var onlyOperators: ServiceError { .permitted(onlyTo: "the operator's tool") }
    /// The refusal of `requireIdentity`.
    package static var onlyIdentity: ServiceError { .permitted(onlyTo: "identity") }
    /// The refusal of `requireGateway`.
    package static var onlyGateway: ServiceError { .permitted(onlyTo: "the gateway") }
    /// The refusal of `requireAccountKeeper`.
    package static var onlyAccountKeepers: ServiceError {
        .permitted(onlyTo: "identity and the operator's tool")
    }
}
