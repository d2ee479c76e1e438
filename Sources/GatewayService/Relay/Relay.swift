import Contracts
import Messages
package import RPC
import ServiceRuntime

/// Passes the calls of methods that identity or session implements on to them
/// (`postern.options.v1.owner`): the bytes of the request, with metadata that the gateway writes
/// anew (`CallContext.relayed`). The owner validates the access token.
///
///     the method's session   without a token             with one
///     none                   passed on                   passed on without it
///     optional, any age      passed on                   passed on
///     required               auth/invalid-access-token   passed on
///
/// A method with a limit (`postern.options.v1.limit`) is charged first: for the client's address,
/// or for the account of the token where the limit is about an account. A caller without a session
/// fills no limit of an account: its call is passed on uncharged, and the owner refuses it. Of a
/// method with streams only an upload has a limit.
package struct Relay: Sendable {
    /// The channels to an owner.
    package struct Owner: Sendable {
        let calls: any PackedChannel
        /// For streams that end, such as photos.
        let streams: any PackedChannel
        /// For followers, who stay.
        let watches: any PackedChannel

        /// An owner that is called over these channels.
        package init(
            calls: any PackedChannel, streams: any PackedChannel, watches: any PackedChannel
        ) {
            self.calls = calls
            self.streams = streams
            self.watches = watches
        }

        fileprivate func channel(of method: MethodDescription) -> any PackedChannel {
            if method.isWatch { return watches }
            return method.streams == .none ? calls : streams
        }
    }

    let owners: [MethodDescription.Owner: Owner]
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
                    let passed = method.owner.flatMap { owners[$0] }.map { handler(of: method, $0) }
                    let handlers = [own[method.name], passed].compactMap(\.self)
                    if handlers.count != 1 { mistakes.append(method.name) }
                    return handlers.first
                })
        }
        guard mistakes.isEmpty else { throw Mistake(methods: mistakes) }
        return all
    }

    private func handler(of method: MethodDescription, _ owner: Owner) -> MethodHandler {
        let channel = owner.channel(of: method)
        guard method.streams == .none else {
            return .relayStream(method) { try await relay(method, $0, over: channel) }
        }
        if Self.endsSessions(method) {
            return .relay(method) { [tokens] request, context in
                let onward = try context.relayed(to: method)
                return .after {
                    do {
                        let answer = try await channel.call(method, packed: request, onward)
                        // A count of 0 is not on the wire.
                        if !answer.isEmpty { tokens.doubt() }
                        return answer
                    } catch {
                        if Self.mayHaveEnded(after: error) { tokens.doubt() }
                        throw error
                    }
                }
            }
        }
        guard method.limit != nil else {
            return .relay(method) { _, context in
                .now(channel, try context.relayed(to: method))
            }
        }
        return .relay(method) { request, context in
            let onward = try context.relayed(to: method)
            return .after {
                try await charging(method, request, context, onward) {
                    try await account(of: onward)
                } pass: { onward in
                    try await channel.call(method, packed: request, onward)
                }
            }
        }
    }

    /// Whether people end sessions by it, and expect them to be over at once.
    private static func endsSessions(_ method: MethodDescription) -> Bool {
        method == AuthDescription.signOut || method == AccountSessionsDescription.endSession
            || method == AccountSessionsDescription.endOtherSessions
    }

    /// Whether a call that ends sessions may have ended one although it failed.
    ///
    /// Attack: a stranger's refused sign-outs have session asked for each token of everybody.
    private static func mayHaveEnded(after error: any Error) -> Bool {
        guard let error = error as? ServiceError else { return true }
        let ambiguous: [ErrorCode] = [.deadlineExceeded, .cancelled, .unavailable, .internalError]
        return !error.didNothing && (ambiguous + [.refreshTokenReplayed]).contains(error.code)
    }

    /// Passes a call with streams on. An upload is charged, and its owner called, when its first item
    /// is there.
    ///
    /// Attack: strangers open uploads and send nothing. So the account comes before the item is
    /// waited for, and without one the owner refuses the call at once.
    private func relay(
        _ method: MethodDescription, _ call: RelayedStream, over channel: any PackedChannel
    ) async throws -> [UInt8] {
        let onward = try call.context.relayed(to: method)
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
