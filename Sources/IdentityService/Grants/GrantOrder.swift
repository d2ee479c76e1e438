package import Contracts
import Cryptography
package import JSON
import Messages
package import ServiceRuntime
import Storage

/// An outbox order for a provider: a code to exchange, or a grant to revoke (G-04, G-05). It
/// contains everything that it needs, because the account and its keys may be deleted before its
/// delivery.
package struct GrantOrder: Hashable, Sendable {
    /// The account of the identity, for the audit trail.
    let account: AccountID
    /// The key by which the identity is looked up.
    let lookUpKey: [UInt8]
    /// The provider that issued the code or grant.
    let provider: BuiltInProvider
    /// The client id that the code or grant belongs to.
    let client: String
    /// The provider's identifier of the person; empty in a revocation, which does not need it.
    let subject: String
    /// The authorization code or the refresh token.
    let secret: String
    /// The time at which the order expires.
    let until: Timestamp

    /// An order, for `message` or for `GrantDelivery.revoke`.
    package init(
        account: AccountID, lookUpKey: [UInt8], provider: BuiltInProvider, client: String,
        subject: String, secret: String, until: Timestamp
    ) {
        self.account = account
        self.lookUpKey = lookUpKey
        self.provider = provider
        self.client = client
        self.subject = subject
        self.secret = secret
        self.until = until
    }
}

extension GrantOrder {
    /// The outbox message, sealed, because it contains a token that can revoke a person's consent.
    func message(
        _ topic: OutboxTopic, key: String, under box: SealedBox
    ) throws -> OutboxMessage {
        let object: JSONObject = [
            "account": .string(account.text), "identity": .string(Hex.encode(lookUpKey)),
            "client": .string(client), "subject": .string(subject),
            provider.member("secret"): .string(secret),
            "until": .integer(until.milliseconds),
        ]
        return OutboxMessage(
            topic: topic.rawValue, key: key,
            payload: try box.seal(
                Array(JSONWriter.text(object).utf8), at: SealedPlace(outbox: topic.rawValue, key)))
    }

    /// Reads the order from its `message`.
    /// - Throws: `rpc/internal` if it is malformed: only this service writes it.
    init(_ message: OutboxMessage, under box: SealedBox) throws {
        let payload = try box.open(
            message.payload, at: SealedPlace(outbox: message.topic, message.key))
        guard let object = JSONReader.object(in: payload),
            let account = object["account"]?.string.flatMap({ AccountID(text: $0) }),
            let lookUpKey = object["identity"]?.string.flatMap({ Hex.decode($0.utf8) }),
            let client = object["client"]?.string, let subject = object["subject"]?.string,
            let (provider, secret) = BuiltInProvider.member("secret", of: object),
            let until = object["until"]?.integer
        else { throw ServiceError(.internalError, detail: "an order to a provider is malformed") }
        self.init(
            account: account, lookUpKey: lookUpKey, provider: provider, client: client,
            subject: subject, secret: secret, until: Timestamp(milliseconds: until))
    }
}

/// A grant as stored in an identity's row, sealed under its account's key.
package struct StoredGrant: Hashable, Sendable {
    /// The provider that issued it.
    package let provider: BuiltInProvider
    /// The client id that the grant was issued to: only this one can revoke it.
    package let client: String
    /// The token by which the grant is revoked.
    package let refreshToken: String
    /// The message key of the order that fetched it, by which a repeated delivery is recognised.
    let order: String

    /// The text that is sealed: JSON.
    var text: String {
        JSONWriter.text([
            "client": .string(client), provider.member("token"): .string(refreshToken),
            "order": .string(order),
        ])
    }

    init(provider: BuiltInProvider, client: String, refreshToken: String, order: String) {
        self.provider = provider
        self.client = client
        self.refreshToken = refreshToken
        self.order = order
    }

    /// Parses `text`; nil if it is malformed.
    init?(text: String) {
        guard let object = JSONReader.object(in: Array(text.utf8)),
            let client = object["client"]?.string,
            let (provider, token) = BuiltInProvider.member("token", of: object),
            let order = object["order"]?.string
        else { return nil }
        self.init(provider: provider, client: client, refreshToken: token, order: order)
    }
}

extension BuiltInProvider {
    /// The name of a stored JSON member that holds a secret of this provider: for Apple the name
    /// itself, otherwise with the provider's.
    ///
    /// Attack: during an upgrade of two instances, and after a downgrade, a program from before
    /// Google's grants would send Google's tokens to Apple. It finds no member of the plain name, so
    /// it leaves the order to a newer program.
    package func member(_ name: String) -> String {
        self == .apple ? name : "\(rawValue)-\(name)"
    }

    /// The provider and the secret of the member that `object` has; nil for none.
    package static func member(
        _ name: String, of object: JSONObject
    ) -> (provider: BuiltInProvider, secret: String)? {
        for provider in allCases {
            if let secret = object[provider.member(name)]?.string { return (provider, secret) }
        }
        return nil
    }
}

/// An authorization code from Apple or Google, which an app passed on with its ID token.
struct GrantCode: Hashable, Sendable {
    /// Longer values are rejected; Apple's codes have fewer than 100 bytes, Google's at most 256.
    static let bytesMax = 512

    /// The provider that issued it.
    let provider: BuiltInProvider
    /// The client id that the ID token, and therefore the code, was issued to.
    let client: String
    let code: String

    /// The code that came with a verified token; nil if there is none, or if the provider's codes
    /// are not exchanged.
    init?(of token: GatewayV1.ProviderToken, to identity: ProvedIdentity) {
        guard let provider = BuiltInProvider(rawValue: token.provider) else { return nil }
        self.init(token.authorizationCode, by: provider, client: identity.audience)
    }

    /// Nil for a malformed code: the sign-in continues without it.
    init?(_ code: String, by provider: BuiltInProvider, client: String) {
        guard (1...Self.bytesMax).contains(code.utf8.count),
            code.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.provider = provider
        self.client = client
        self.code = code
    }
}
