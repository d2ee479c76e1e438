import ServiceRuntime

/// The short messages that this program words itself, in English.
package struct PlainWording: ShortWording {
    /// Wordings without settings.
    package init() {}

    /// The longest value of a variable, in bytes.
    private static let valueBytesMax = 64

    package func lane(of template: String, on channel: Channel) -> Lane? {
        switch (ShortTemplate(rawValue: template), channel) {
        case (.phoneCode, .sms), (.newDevice, .sms), (.newDevice, .push): .security
        default: nil
        }
    }

    /// A value is one short line of letters, numbers and a few marks: with a point or a slash a
    /// phone would make a link of what a stranger typed.
    package func mistake(in variables: [OrderPair], for template: String) -> String? {
        ShortTemplate(rawValue: template)?.variables.first { name in
            guard let value = value(name, in: variables) else { return true }
            return !(1...Self.valueBytesMax).contains(value.utf8.count)
                || !value.allSatisfy { $0.isLetter || $0.isNumber || " '’-():".contains($0) }
        }
    }

    package func words(_ order: SMSOrder, product: String) -> String? {
        let values = order.variables
        switch ShortTemplate(rawValue: order.templateName) {
        case .phoneCode:
            guard let code = value("code", in: values), let minutes = value("minutes", in: values)
            else { return nil }
            return "\(code) is your \(product) code. It is good for \(minutes) minutes."
                + " Never tell it to anybody."
        case .newDevice:
            return newDevice(values, product: product).map { "\($0.title): \($0.body)" }
        case nil: return nil
        }
    }

    package func words(_ order: PushOrder, product: String) -> PushWords? {
        if order.templateName.isEmpty { return PushWords(title: order.title, body: order.body) }
        switch ShortTemplate(rawValue: order.templateName) {
        case .newDevice: return newDevice(order.variables, product: product)
        case .phoneCode, nil: return nil
        }
    }

    private func newDevice(_ values: [OrderPair], product: String) -> PushWords? {
        guard let device = value("device", in: values), let time = value("time", in: values) else {
            return nil
        }
        return PushWords(
            title: "New sign-in to \(product)",
            body: "\(device), \(time). If this was not you, change your password.")
    }

    private func value(_ name: String, in variables: [OrderPair]) -> String? {
        variables.first { $0.name == name }?.value
    }
}

/// The short messages that can be sent.
private enum ShortTemplate: String {
    /// A code to prove a number by, or to sign in with.
    case phoneCode = "phone-code"
    /// Somebody signed in on a device that was not seen before.
    case newDevice = "new-device"

    /// The variables that a request must bring.
    var variables: [String] {
        switch self {
        case .phoneCode: ["code", "minutes"]
        case .newDevice: ["device", "time"]
        }
    }
}
