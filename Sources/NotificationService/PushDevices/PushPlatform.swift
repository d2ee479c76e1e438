import Messages
import ServiceRuntime

/// The service that delivers push messages to a device. Raw values are stored and never change.
enum PushPlatform: Int64, CaseIterable, Sendable {
    /// Google's FCM.
    case fcm = 1
    /// Apple's APNs.
    case apns = 2
    /// Apple's APNs for apps under development.
    case apnsSandbox = 3

    /// The longest token, in bytes. Google's have about 170 and may become longer.
    static let tokenBytesMax = 1_024
    /// Apple's tokens are 32 bytes today; the length is documented as variable.
    private static let appleTokenDigits = 32...512

    init?(_ platform: GatewayV1.PushPlatform) {
        self.init(rawValue: Int64(platform.rawValue))
    }

    var wire: GatewayV1.PushPlatform { .init(rawValue: Int32(rawValue)) }

    /// `token` in canonical form (Apple's hexadecimal in lower case); nil when it is not a token.
    /// Apple's becomes part of a URL path, so it must contain nothing but digits.
    func token(_ token: String) -> String? {
        switch self {
        case .fcm:
            let isToken =
                (1...Self.tokenBytesMax).contains(token.utf8.count)
                && token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            return isToken ? token : nil
        case .apns, .apnsSandbox:
            let isToken =
                Self.appleTokenDigits.contains(token.utf8.count)
                && token.utf8.count.isMultiple(of: 2)
                && token.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "0")...UInt8(ascii: "9"),
                        UInt8(ascii: "a")...UInt8(ascii: "f"),
                        UInt8(ascii: "A")...UInt8(ascii: "F"):
                        true
                    default: false
                    }
                }
            return isToken ? token.lowercased() : nil
        }
    }
}

/// The apps whose devices may be registered. For Apple an app is its bundle id, the topic of each
/// message. APNs would reject every message to an app that is not ours.
struct PushApps: Hashable, Sendable {
    /// The longest name of an app, in bytes.
    static let nameBytesMax = 155

    /// Bundle ids. Empty allows any, for a machine without Apple's key.
    let topics: [String]

    /// The app that a device is registered for: the first one if `name` is empty; nil for an app
    /// that is not ours or whose name cannot be in a header.
    func app(_ name: String, on platform: PushPlatform) -> String? {
        let app = name.isEmpty ? topics.first ?? "" : name
        guard name.isEmpty || Self.isName(app) else { return nil }
        switch platform {
        case .fcm: return name
        case .apns, .apnsSandbox: return topics.isEmpty || topics.contains(app) ? app : nil
        }
    }

    /// Letters, digits, points, hyphens and underscores, as in Apple's and Google's app names.
    static func isName(_ name: String) -> Bool {
        name.isName(1...nameBytesMax, [.letter, .digit], marks: "-._")
    }
}
