import Testing
import Texts

/// A plain space before a colon would let mail programs break the line there.
@Suite("French texts have non-breaking spaces")
struct FrenchSpacingTests {
    @Test("before : ; ! ? » and after « there is U+00A0")
    func spaces() {
        let french = Texts.paths.filter { $0.contains(".fr.") }
        #expect(french.count > 20)
        for path in french {
            for line in (Texts.file(path) ?? "").split(separator: "\n") {
                #expect(Self.breaks(in: String(line)) == [], "\(path): \(line)")
            }
        }
    }

    @Test(
        "a plain space, or none, is found",
        arguments: ["Attention : ici", "Faites attention: ici", "Vous\u{A0}? Oui!", "« ici\u{A0}»"])
    func twin(line: String) {
        #expect(Self.breaks(in: line).count == 1)
    }

    @Test(
        "a header line, a key, a link and a time are not prose",
        arguments: [
            "Subject: Bonjour", "auth/invalid-code: Ce code", "identity.linked/{{method}}: Ajouté",
            "https://app.example/", "à 12:30",
        ])
    func notProse(line: String) {
        #expect(Self.breaks(in: line) == [])
    }

    /// The marks without a non-breaking space.
    private static func breaks(in line: String) -> [Character] {
        let text = Array(withoutKey(line))
        return text.indices.filter { index in
            switch text[index] {
            case ";", "!", "?", "»": index == 0 || text[index - 1] != "\u{A0}"
            case ":":
                // A time (12:30) and a scheme (https:) have something else than a space after it.
                index + 1 == text.count || text[index + 1] == " "
                    ? index == 0 || text[index - 1] != "\u{A0}" : false
            case "«": index + 1 == text.count || text[index + 1] != "\u{A0}"
            default: false
            }
        }.map { text[$0] }
    }

    /// Without `Subject: ` or `auth/invalid-code: `: one word in ASCII at the line's start, and a
    /// colon.
    private static func withoutKey(_ line: String) -> Substring {
        guard let colon = line.firstIndex(of: ":") else { return line[...] }
        let isKey = line[..<colon].allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || "-/.{}".contains($0))
        }
        return isKey ? line[line.index(after: colon)...] : line[...]
    }
}
