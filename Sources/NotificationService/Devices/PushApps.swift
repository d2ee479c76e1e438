/// The apps whose devices may be registered. For Apple an app is its bundle's id, the topic of each
/// message: one that is not ours would be refused there, message after message.
package struct PushApps: Hashable, Sendable {
    private static let nameBytesMax = 155

    /// Bundle ids; empty takes any, for a machine without Apple's key.
    private let topics: [String]

    /// Apps of these bundle ids.
    package init(topics: [String]) {
        self.topics = topics
    }

    /// The app that a device is registered for, which is the first one where none is named; nil for
    /// one that is not ours or cannot stand in a header.
    func app(_ name: String, on platform: PushPlatform) -> String? {
        let app = name.isEmpty ? topics.first ?? "" : name
        guard name.isEmpty || Self.isName(app) else { return nil }
        switch platform {
        case .fcm: return name
        case .apns, .apnsSandbox: return topics.isEmpty || topics.contains(app) ? app : nil
        }
    }

    /// Letters, digits, points and hyphens, as Apple and Google name apps.
    static func isName(_ name: String) -> Bool {
        (1...nameBytesMax).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                    UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
