import Contracts
import Messages
package import RPC
import ServiceRuntime

/// Passes the calls of methods that identity or session implements on to them
/// (`postern.options.v1.owner`): the bytes of the request, with metadata of the gateway's own
/// (`CallContext.onward(for:)`). The owner validates the access token.
///
///     the method's session   without a token             with one
///     none                   passed on                   passed on without it
///     optional, any age      passed on                   passed on
///     required               auth/invalid-access-token   passed on
///
/// A method with a limit (`postern.options.v1.limit`) is charged first: for the client's address,
/// or for the account of the token where the limit is about an account. A caller without a session
/// fills no limit of an account: its call is passed on uncharged, and the owner refuses it. Of the
/// methods with streams only uploads have a limit.
package struct Relay: Sendable {
    /// The channels to an owner of methods.
    package struct Channels: Sendable {
        let calls: any PackedChannel
        /// For streams that end, such as photos.
        let streams: any PackedChannel
        /// For followers, who stay.
        let watches: any PackedChannel

        /// One channel for each kind of call.
        package init(
            calls: any PackedChannel, streams: any PackedChannel, watches: any PackedChannel
        ) {
            self.calls = calls
            self.streams = streams
            self.watches = watches
        }

        fileprivate func channel(for method: MethodDescription) -> any PackedChannel {
            if method.isWatch { return watches }
            return method.streams == .none ? calls : streams
        }
    }

    let owners: [MethodDescription.Owner: Channels]
    let tokens: TokenAccounts
    let limits: RateLimiter

    /// Public methods without an implementation, or with two. The gateway refuses to start.
    struct Mistake: Error, CustomStringConvertible {
        let methods: [String]

        var description: String {
            "each public method needs the option owner or a handler in the gateway, and not both: "
                + methods.joined(separator: ", ")
        }
    }

    /// All public services, with the gateway's own handlers for the methods that it composes.
    /// - Throws: `Mistake`.
    func completing(
        _ composed: [ServiceMethods],
        of services: [ServiceDescription] = ServiceDescription.ofGateway
    ) throws(Mistake) -> [ServiceMethods] {
        let own = Dictionary(
            composed.flatMap(\.handlers).map { ($0.method.name, $0) }, uniquingKeysWith: { $1 })
        var mistakes: [String] = []
        let all = services.map { service in
            ServiceMethods(
                service,
                service.methods.compactMap { method in
                    let passed = method.owner.flatMap { owners[$0] }.map {
                        handler(of: method, over: $0.channel(for: method))
                    }
                    let handlers = [own[method.name], passed].compactMap(\.self)
                    if handlers.count != 1 { mistakes.append(method.name) }
                    return handlers.first
                })
        }
        guard mistakes.isEmpty else { throw Mistake(methods: mistakes) }
        return all
    }

    /// A call that is neither charged nor ends a session is passed on at once, without a task.
    private func handler(
        of method: MethodDescription, over channel: any PackedChannel
    ) -> MethodHandler {
        guard method.streams == .none else {
            return .relayStream(method) { try await relay(method, $0, over: channel) }
        }
        let endsSessions = Self.sessionEnds.contains(method)
        return .relay(method) { request, context in
            let onward = try context.onward(for: method)
            if method.limit != nil {
                return .after {
                    try await charging(method, request, context, onward) {
                        try await account(of: onward)
                    } pass: { onward in
                        try await channel.call(method, packed: request, onward)
                    }
                }
            }
            if endsSessions {
                return .after {
                    try await endingSessions {
                        try await channel.call(method, packed: request, onward)
                    }
                }
            }
            return .now(channel, onward)
        }
    }

    /// Passes a call with streams on. An upload is charged, and its owner called, when its first
    /// item is there.
    ///
    /// Attack: strangers open uploads and send nothing. So the account comes before the item is
    /// waited for, and without one the owner refuses the call at once.
    private func relay(
        _ method: MethodDescription, _ call: RelayedStream, over channel: any PackedChannel
    ) async throws -> [UInt8] {
        let onward = try call.context.onward(for: method)
        guard method.limit != nil, let caller = try await account(of: onward),
            let first = try await call.firstItem()
        else {
            return try await call.relay(
                to: channel.stream(method, payload: call.request, onward))
        }
        return try await charging(method, .plain(first), call.context, onward) {
            caller
        } pass: { onward in
            try await call.relay(
                to: channel.stream(method, payload: call.request, onward), after: first)
        }
    }

    // MARK: Ends of sessions

    /// The methods by which people end sessions that they expect to be over at once.
    private static let sessionEnds = [
        AuthDescription.signOut, AccountSessionsDescription.endSession,
        AccountSessionsDescription.endOtherSessions,
    ]

    /// Passes a call of `sessionEnds` on. After it `tokens` may still take an ended session for a
    /// live one, until the feed of revocations has the end.
    private func endingSessions(_ pass: () async throws -> [UInt8]) async throws -> [UInt8] {
        do {
            let answer = try await pass()
            // It has only the number of ended sessions, and 0 is not on the wire.
            if !answer.isEmpty { tokens.doubt() }
            return answer
        } catch {
            if Self.mayHaveEndedSessions(despite: error) { tokens.doubt() }
            throw error
        }
    }

    /// Whether a call of `sessionEnds` may have ended a session although it failed. A replayed
    /// refresh token ends its session.
    ///
    /// Attack: a stranger's refused sign-outs make the gateway ask session about every token.
    private static func mayHaveEndedSessions(despite error: any Error) -> Bool {
        guard let error = error as? ServiceError else { return true }
        return switch error.code {
        case .deadlineExceeded, .cancelled, .unavailable, .internalError, .refreshTokenReplayed:
            !error.didNothing
        default: false
        }
    }

    // MARK: Limits

    /// The account of the caller's session; nil without one that is valid now.
    private func account(of onward: CallContext) async throws -> String? {
        try await tokens.account(of: onward.requiredAccessToken(), onward)
    }

    /// Charges a call for who makes it, and passes it on.
    private func charging(
        _ method: MethodDescription, _ request: OutgoingRequest.Payload,
        _ context: CallContext, _ onward: CallContext,
        account: () async throws -> String?, pass: (CallContext) async throws -> [UInt8]
    ) async throws -> [UInt8] {
        guard
            let charge = try await method.charge(
                request, context, idempotencyKey: onward.idempotencyKey, account: account)
        else { return try await pass(onward) }
        guard let action = charge.action else {
            return try await paying(for: charge, context, onward, pass)
        }
        return try await limits.charging(
            action, context, chargedOnceFor: charge.repeatKey
        ) {
            try await paying(for: charge, context, onward, pass)
        }.answer
    }

    /// Charges what a call's work on documents costs, and passes it on.
    private func paying(
        for charge: RelayedCharge, _ context: CallContext, _ onward: CallContext,
        _ pass: (CallContext) async throws -> [UInt8]
    ) async throws -> [UInt8] {
        guard let account = charge.account else { return try await pass(onward) }
        return try await limits.paying(
            charge.units, paid: charge.paid, for: account, context
        ) { units in
            var paid = onward
            if units > 0 { paid.metadata[Metadata.Key.paidUnits] = String(units) }
            return try await pass(paid)
        }
    }
}
