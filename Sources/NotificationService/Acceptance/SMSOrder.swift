import Contracts
import ServiceRuntime

/// A text message to send (N-02). The caller has validated the parts.
struct SMSOrder: StoredOrder, Hashable {
    static var channel: Channel { .sms }
    private static let version: UInt8 = 1

    /// The number in E.164 form: "+4915112345678".
    var recipient: String
    var templateName: String
    var lane: Lane
    /// BCP 47; empty for the default.
    var language: String
    /// The values of the template's variables.
    var variables: [OrderPair]
    var expiresAt: Timestamp?
    var account: AccountID?

    var recipientKey: [UInt8] { Array(recipient.utf8) }
    var maskedRecipient: String { MaskedRecipient.phone(recipient) }
    var mustExpire: Bool {
        SMSTemplate(rawValue: templateName)?.variables.contains(.code) ?? false
    }

    var storedBytes: [UInt8] {
        var writer = OrderWriter(version: Self.version)
        writer.put(recipient)
        writer.put(templateName)
        writer.put(lane.number)
        writer.put(language)
        writer.put(variables)
        writer.put(expiresAt)
        writer.put(account?.key ?? 0)
        return writer.bytes
    }
}

extension SMSOrder {
    /// Decodes the stored form.
    /// - Throws: `StoredOrderError`.
    init(stored bytes: [UInt8]) throws {
        var reader = try OrderReader(bytes, version: Self.version)
        recipient = try reader.text()
        templateName = try reader.text()
        // Text messages with lane number 0 are codes.
        guard let lane = Lane(number: try reader.number(), isWarning: false) else {
            throw StoredOrderError.malformed
        }
        self.lane = lane
        language = try reader.text()
        variables = try reader.pairs()
        expiresAt = try reader.moment()
        account = AccountID(key: try reader.number())
        try reader.end()
    }
}
