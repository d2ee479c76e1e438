import Contracts
import Messages

extension PublicCalls {
    // MARK: Push messages of backends

    static let pushes: [PublicCall] = [
        .init(BackendPushDescription.sendPushMessage, .writer) { caller, number in
            var request = Bound.push
            request.call = try await caller.signed(
                SignedRequest(
                    BackendPushDescription.sendPushMessage, label: "postern push v1",
                    Bound.parts(of: request)), number)
            return request
        }
    ]
}

extension Bound {
    /// A push message of the greatest length: its title, its text, its entries and their bytes.
    static let push = GatewayV1.SendPushMessageRequest(
        title: text(120, "title"), body: text(1_024, "body"),
        data: [.init(key: text(64, "name"), value: text(1_024 - 64 - 15 * 3, "value"))]
            + (10..<25).map { .init(key: "\($0)", value: "v") },
        collapseKey: text(64, "collapse"), expiresAtMs: 4_000_000_000_000)

    /// A push message as a backend's token covers it, written out once more.
    static func parts(of push: GatewayV1.SendPushMessageRequest) -> [[UInt8]] {
        let entries = push.data.map { #"{"key":"\#($0.key)","value":"\#($0.value)"}"# }
        return [
            push.title, push.body, "[\(entries.joined(separator: ","))]", push.collapseKey,
            "\(push.expiresAtMs)",
        ].map { [1] + Array($0.utf8) }
    }
}
