package import Messages
package import ServiceRuntime
package import Storage

/// A device as a mail shows it to its owner: the name that the owner gave it or what is known
/// instead (`DeviceWords`), and where it was.
package struct DeviceShown: Hashable, Sendable {
    let name: String
    let platform: String
    /// The program that the person used, in the gateway's words (`firefox 131, linux`); empty if
    /// it is unknown.
    let agent: String
    /// Nil if it is unknown.
    let place: Place?

    /// A device by the name and the platform that it reports.
    package init(name: String, platform: String, agent: String = "", at place: Place? = nil) {
        self.name = name
        self.platform = platform
        self.agent = agent
        self.place = place
    }

    /// The device that sent a request; an unknown one for nil.
    /// - Parameter origin: Where the request comes from, with the program and the place.
    package init(_ device: GatewayV1.Device?, from origin: CallOrigin = .unknown) {
        self.init(
            name: device?.name ?? "", platform: device?.platform ?? "", agent: origin.agent ?? "",
            at: origin.place)
    }
}

/// The words for a device in a message. Pure, by what is known of it:
///
///     name           agent                  platform    words
///     Ada's phone    any                    any         Ada's phone
///     none           firefox 131, linux     any         Firefox 131 (Linux)
///     none           safari 18, other       any         Safari 18
///     none           other, ios             any         iOS
///     none           okhttp 4, android      any         Android
///     none           cfnetwork 1, other     ios         ios
///     none           none                   ios         ios
///     none           none                   none        empty
///
/// The agent says more than the platform does (`ios`, `web`), and in words of the gateway's table.
///
/// A name keeps letters, digits and a few punctuation marks; all else becomes a space. Attack: a
/// device name that contains a link, an address or an instruction to the reader.
enum DeviceWords {
    private static let charactersMax = 40
    /// One character can consist of many code points; the notification service accepts 256 bytes.
    private static let bytesMax = 160

    /// The filtered name, or else the agent's words, or else the filtered platform; empty when none
    /// has permitted characters.
    static func words(name: String, agent: String = "", platform: String) -> String {
        for text in [name, AgentWords.words(agent), platform] {
            let words = plain(text)
            if !words.isEmpty { return words }
        }
        return ""
    }

    private static func plain(_ text: String) -> String {
        var filtered = ""
        for character in text.prefix(charactersMax) {
            let character = isPlain(character) ? character : " "
            guard filtered.utf8.count + character.utf8.count <= bytesMax else { break }
            filtered.append(character)
        }
        return filtered.split(separator: " ").joined(separator: " ")
    }

    private static func isPlain(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "'’-()".contains(character)
    }
}

/// The gateway's words for a program, `firefox 131, linux`, as people write them. Pure; the table is
/// that of `DeviceWords`. `AgentTests` compare it with the gateway's tables.
private enum AgentWords {
    /// What the gateway calls a program or a system that it does not know.
    private static let other: Substring = "other"
    /// What apps are made with. People do not know these names, so they get the system alone.
    private static let libraries: Set<Substring> = [
        "cfnetwork", "curl", "dart", "electron", "okhttp",
    ]
    /// Words that are not written with a capital letter in front and small ones after it.
    private static let spellings: [Substring: String] = [
        "chromeos": "ChromeOS", "duckduckgo": "DuckDuckGo", "freebsd": "FreeBSD",
        "harmonyos": "HarmonyOS", "ios": "iOS", "macos": "macOS", "uc-browser": "UC Browser",
    ]

    /// `Firefox 131 (Linux)`, or the part of it that is known; empty if nothing is.
    static func words(_ agent: String) -> String {
        let parts = agent.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return "" }
        let program = parts[0].split(separator: " ")
        let system = spelled(parts[1].drop { $0 == " " })
        guard let family = program.first, family != other, !libraries.contains(family) else {
            return system
        }
        let name = ([spelled(family)] + program.dropFirst().map { String($0) })
            .joined(separator: " ")
        return system.isEmpty ? name : "\(name) (\(system))"
    }

    /// A word of the gateway's tables as people write it; empty for `other`.
    private static func spelled(_ word: Substring) -> String {
        guard word != other else { return "" }
        return spellings[word]
            ?? word.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }
            .joined(separator: " ")
    }
}
