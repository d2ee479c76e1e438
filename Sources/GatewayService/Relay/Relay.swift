import Contracts
import Messages
package import RPC
import ServiceRuntime

/// Passes the calls of methods that identity or session implements on to them
/// (`postern.options.v1.owner`): the bytes of the request, with metadata that the gateway writes
/// anew (`CallContext.relayed`). The owner judges the access token.
///
///     the method's session   without a token             with one
///     none                   passed on                   passed on without it
///     optional, any age      passed on                   passed on
///     required               auth/invalid-access-token   passed on
///
/// A method with a limit (`postern.options.v1.limit`) is charged first, for the account of the
/// token. A caller without a session fills no limit: its call is passed on uncharged, and the owner
/// refuses it.
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

    /// Public methods that are served by nobody, or twice. The gateway does not start.
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
            return .relayStream(method) { request, incoming, outgoing, context in
                let call = channel.stream(
                    method, payload: request, try context.relayed(to: method))
                return try await call.relay(incoming, outgoing, method.streams)
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
                try await charging(method, request, context, onward) { onward in
                    try await channel.call(method, packed: request, onward)
                }
            }
        }
    }

    // MARK: Limits

    /// Charges a call for the account that makes it, and passes it on.
    private func charging(
        _ method: MethodDescription, _ request: OutgoingRequest.Payload,
        _ context: CallContext, _ onward: CallContext,
        _ pass: (CallContext) async throws -> [UInt8]
    ) async throws -> [UInt8] {
        guard
            let account = try await tokens.account(of: onward.requiredAccessToken(), onward),
            let charge = try method.charge(for: account, request)
        else { return try await pass(onward) }
        return try await limits.charging(
            charge.action, context, chargedOnceFor: onward.idempotencyKey
        ) {
            try await limits.paying(charge.units, paid: charge.paid, for: account, context) {
                paid in
                var paying = onward
                if paid > 0 { paying.metadata[Metadata.Key.paidUnits] = String(paid) }
                return try await pass(paying)
            }
        }.answer
    }
}

extension PackedStreamCall {
    /// Passes both sides' items on until the owner has answered, each at the pace of its reader.
    ///
    /// What ends first decides: the owner's end is that of the caller's items, and a caller that
    /// goes away cancels the owner's call.
    /// - Returns: the response; empty where the owner sends items.
    /// - Throws: the errors of the owner and of both sides' items.
    fileprivate func relay(
        _ incoming: IncomingItems<[UInt8]>, _ outgoing: OutgoingItems<[UInt8]>,
        _ streams: MethodDescription.Streams
    ) async throws -> [UInt8] {
        guard streams.hasRequestItems else { return try await answer(to: outgoing) }
        return try await withThrowingTaskGroup(of: [UInt8]?.self) { directions in
            directions.addTask {
                // A write fails when the owner has ended its call: the other direction gets the
                // error.
                for try await item in incoming {
                    guard (try? await self.outgoing.write(item)) != nil else { return nil }
                }
                self.outgoing.finish()
                return nil
            }
            directions.addTask { try await answer(to: outgoing) }
            defer { directions.cancelAll() }
            for try await response in directions {
                if let response { return response }
            }
            return []
        }
    }

    private func answer(to outgoing: OutgoingItems<[UInt8]>) async throws -> [UInt8] {
        for try await item in incoming { try await outgoing.write(item) }
        return try await response()
    }
}
