/// The apps whose devices may be registered. For Apple an app is its bundle id, the topic of each
/// message. APNs would reject every message to an app that is not ours.
package struct PushApps: Hashable, Sendable {
    private static let nameBytesMax = 155

    /// Bundle ids. Empty allows any, for a machine without Apple's key.
    private let topics: [String]

    /// Apps with these bundle ids.
    package init(topics: [String]) {
        self.topics = topics
    }

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
