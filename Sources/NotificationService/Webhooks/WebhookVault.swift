import Cryptography
import ServiceRuntime

/// Seals the values of a webhook's row that must not be readable in a stolen store: its URL, which
/// may contain a token, and its secrets.
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

    /// Reseals the current secret as the previous one: a sealed value is bound to its column.
    func sealAsFormer(_ secret: [UInt8], of id: WebhookID) throws -> [UInt8] {
        try seal(open(secret, .secret, of: id), .formerSecret, of: id)
    }

    static func place(_ field: Field, _ id: WebhookID) -> SealedPlace {
        SealedPlace(table: "webhook", column: field.rawValue, row: id.key)
    }
}
