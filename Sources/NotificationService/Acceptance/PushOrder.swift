import Contracts
import ServiceRuntime

/// A push message to one device of an account (N-02). A push to several devices becomes one order
/// and one message per device, so that a crash between two devices neither loses a message nor
/// sends it twice. The caller has validated the parts.
struct PushOrder: StoredOrder, Hashable {
    static var channel: Channel { .push }
    private static let version: UInt8 = 1

    /// The account that owns the device.
    var owner: AccountID
    /// The device's row id.
    var device: Int64
    var templateName: String
    var lane: Lane
    /// BCP 47; empty for the default.
    var language: String
    /// The values of the template's variables.
    var variables: [OrderPair] = []
    /// The title of a message without a template.
    var title = ""
    /// The text of a message without a template.
    var body = ""
    /// Data for the app besides title and text.
    var data: [OrderPair] = []
    /// A later message with the same key replaces this one on the screen. May be empty.
    var collapseKey = ""
    var expiresAt: Timestamp?

    /// The recipient key of messages to a device.
    static func recipientKey(device: Int64) -> [UInt8] { Array("device/\(device)".utf8) }

    var account: AccountID? { owner }
    var recipientKey: [UInt8] { Self.recipientKey(device: device) }
    var maskedRecipient: String { MaskedRecipient.device(device) }
    var mustExpire: Bool {
        PushTemplate(rawValue: templateName)?.variables.contains(.code) ?? false
    }

    var storedBytes: [UInt8] {
        var writer = OrderWriter(version: Self.version)
        writer.put(owner.key)
        writer.put(device)
        writer.put(templateName)
        writer.put(lane.number)
        writer.put(language)
        writer.put(variables)
        for text in [title, body, collapseKey] { writer.put(text) }
        writer.put(data)
        writer.put(expiresAt)
        return writer.bytes
    }
}

extension PushOrder {
    /// Decodes the stored form.
    /// - Throws: `StoredOrderError`.
    init(stored bytes: [UInt8]) throws {
        var reader = try OrderReader(bytes, version: Self.version)
        guard let owner = AccountID(key: try reader.number()) else {
            throw StoredOrderError.malformed
        }
        self.owner = owner
        device = try reader.number()
        templateName = try reader.text()
        // Push messages with lane number 0 are warnings.
        guard let lane = Lane(number: try reader.number(), isWarning: true) else {
            throw StoredOrderError.malformed
        }
        self.lane = lane
        language = try reader.text()
        variables = try reader.pairs()
        title = try reader.text()
        body = try reader.text()
        collapseKey = try reader.text()
        data = try reader.pairs()
        expiresAt = try reader.moment()
        try reader.end()
    }
}
