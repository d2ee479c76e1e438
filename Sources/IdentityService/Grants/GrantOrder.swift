import Cryptography
import ServiceRuntime
import Storage

/// What waits in the outbox for Apple: a code to be exchanged, or a grant to be revoked (G-05). It
/// stands by itself: when it is carried out, the account may be gone, and its keys with it.
struct GrantOrder: Hashable, Sendable {
    /// Whose identity it is, for the audit trail.
    let account: AccountID
    /// By which the identity is found.
    let lookUpKey: [UInt8]
    /// Apple's name for the app that the code or the grant belongs to.
    let client: String
    /// Apple's name for the person; empty in a revocation, which needs none.
    let subject: String
    /// The code, or the refresh token.
    let secret: String
    /// After this it is worth nothing and is let go.
    let until: Timestamp
}

extension GrantOrder {
    /// As it waits: sealed, since it holds what revokes a person's consent.
    func message(
        _ topic: OutboxTopic, key: String, under box: SealedBox
    ) throws -> OutboxMessage {
        let object: JSONObject = [
            "account": .string(account.text), "identity": .string(Hex.encode(lookUpKey)),
            "client": .string(client), "subject": .string(subject), "secret": .string(secret),
            "until": .integer(until.milliseconds),
        ]
        return OutboxMessage(
            topic: topic.rawValue, key: key,
            payload: try box.seal(
                Array(JSONWriter.text(object).utf8), at: Self.place(topic.rawValue, key)))
    }

    /// Reads what `message` wrote.
    /// - Throws: `rpc/internal` for anything else: only this program writes it.
    init(_ message: OutboxMessage, under box: SealedBox) throws {
        let payload = try box.open(message.payload, at: Self.place(message.topic, message.key))
        guard let object = JSONReader.object(in: payload),
            let account = object["account"]?.string.flatMap({ AccountID(text: $0) }),
            let lookUpKey = object["identity"]?.string.flatMap({ Hex.decode($0.utf8) }),
            let client = object["client"]?.string, let subject = object["subject"]?.string,
            let secret = object["secret"]?.string, let until = object["until"]?.integer
        else { throw ServiceError(.internalError, detail: "an order to Apple cannot be read") }
        self.init(
            account: account, lookUpKey: lookUpKey, client: client, subject: subject,
            secret: secret, until: Timestamp(milliseconds: until))
    }

    private static func place(_ topic: String, _ key: String) -> SealedPlace {
        SealedPlace(purpose: "outbox/\(topic)/\(key)")
    }
}

/// A grant as an identity's row keeps it, sealed under its account's key.
struct StoredGrant: Hashable, Sendable {
    /// The app that it was given to: only this one can revoke it.
    let client: String
    let refreshToken: String
    /// The order that brought it, by the key of its message, so that a repeat knows itself.
    let order: String

    /// As it is sealed.
    var text: String {
        JSONWriter.text([
            "client": .string(client), "token": .string(refreshToken), "order": .string(order),
        ])
    }

    init(client: String, refreshToken: String, order: String) {
        self.client = client
        self.refreshToken = refreshToken
        self.order = order
    }

    /// Reads what `text` wrote; nil for anything else.
    init?(text: String) {
        guard let object = JSONReader.object(in: Array(text.utf8)),
            let client = object["client"]?.string, let token = object["token"]?.string,
            let order = object["order"]?.string
        else { return nil }
        self.init(client: client, refreshToken: token, order: order)
    }
}
