import Cryptography
import ServiceRuntime

/// Seals what a webhook's row must not show: its URL, which may hold a token, and its secrets.
struct WebhookVault: Sendable {
    let box: SealedBox

    /// A field of a webhook's row.
    enum Field: String {
        case target, secret
        case formerSecret = "former_secret"
    }

    func seal(_ value: [UInt8], _ field: Field, of id: WebhookID) throws -> [UInt8] {
        try box.seal(value, at: Self.place(field, id))
    }

    func open(_ sealed: [UInt8], _ field: Field, of id: WebhookID) throws -> [UInt8] {
        try box.open(sealed, at: Self.place(field, id))
    }

    /// The secret signs as the former one from now on, so it is sealed for that place.
    func sealAsFormer(_ secret: [UInt8], of id: WebhookID) throws -> [UInt8] {
        try seal(open(secret, .secret, of: id), .formerSecret, of: id)
    }

    static func place(_ field: Field, _ id: WebhookID) -> SealedPlace {
        SealedPlace(table: "webhook", column: field.rawValue, row: id.key)
    }
}
