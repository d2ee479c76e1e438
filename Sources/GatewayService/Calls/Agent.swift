import RPC
import ServiceRuntime

/// The program that a person uses, by the user agent of its calls. Pure:
///
///     user agent                                             agent
///     … Gecko/20100101 Firefox/131.0 (X11; Linux x86_64)     firefox 131, linux
///     … Version/18.1 Mobile/15E148 Safari/604.1 (iPhone …)   safari 18, ios
///     something else                                         other, other
///
/// Attack: a stranger writes texts into the audit trail, into lists of sessions and into mails, or
/// tells people apart by versions. So a family and a system are words of these tables, and of the
/// version only the first number is left.
struct Agent: Hashable, Sendable {
    /// The most digits of a version; a longer number is none.
    private static let majorDigitsMax = 4
    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    /// Families with what their user agents contain before the version, the first that matches.
    /// Most browsers name Chrome and Safari too, so these come after them.
    static let families: [(name: String, marks: [String])] = [
        ("edge", ["Edg/", "EdgA/", "EdgiOS/", "Edge/"]),
        ("opera", ["OPR/", "OPT/", "OPiOS/"]),
        ("samsung-internet", ["SamsungBrowser/"]),
        ("vivaldi", ["Vivaldi/"]),
        ("yandex", ["YaBrowser/"]),
        ("uc-browser", ["UCBrowser/"]),
        ("duckduckgo", ["DuckDuckGo/", "Ddg/"]),
        ("firefox", ["Firefox/", "FxiOS/"]),
        ("electron", ["Electron/"]),
        ("chrome", ["CriOS/", "Chrome/", "Chromium/"]),
        ("safari", ["Version/"]),
        ("okhttp", ["okhttp/"]),
        ("cfnetwork", ["CFNetwork/"]),
        ("dart", ["Dart/"]),
        ("curl", ["curl/"]),
    ]

    /// Systems with what user agents contain of them, the first that matches: iPhones name macOS
    /// too, and Android names Linux.
    static let systems: [(name: String, marks: [String])] = [
        ("ios", ["iPhone", "iPad", "iPod"]),
        ("harmonyos", ["HarmonyOS", "OpenHarmony"]),
        ("android", ["Android"]),
        ("windows", ["Windows"]),
        ("chromeos", ["CrOS"]),
        ("macos", ["Macintosh", "Mac OS X"]),
        ("linux", ["Linux"]),
        ("freebsd", ["FreeBSD"]),
    ]

    /// For what no table has.
    static let other = "other"

    /// `firefox 131, linux`.
    let text: String

    /// Nil for an empty user agent: nothing is known then.
    init?(userAgent: String) {
        let bytes = Array(userAgent.utf8.prefix(Metadata.clientAgentBytesMax))
        guard !bytes.isEmpty else { return nil }
        var family = Self.other
        for (name, marks) in Self.families {
            guard let end = marks.lazy.compactMap({ bytes.end(of: $0) }).first else { continue }
            let digits = bytes[end...].prefix { Self.digits.contains($0) }
            let isMajor = (1...Self.majorDigitsMax).contains(digits.count)
            family = isMajor ? "\(name) \(String(decoding: digits, as: UTF8.self))" : name
            break
        }
        let system = Self.systems.first { _, marks in
            marks.contains { bytes.end(of: $0) != nil }
        }
        text = "\(family), \(system?.name ?? Self.other)"
    }
}

extension [UInt8] {
    /// Where the first occurrence of a mark ends; nil for none.
    fileprivate func end(of mark: String) -> Int? {
        let wanted = Array(mark.utf8)
        guard let first = wanted.first, count >= wanted.count else { return nil }
        return (0...count - wanted.count).first { start in
            self[start] == first && self[start..<start + wanted.count].elementsEqual(wanted)
        }.map { $0 + wanted.count }
    }
}
