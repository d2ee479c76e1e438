/// The ids that `Sources/REQUIREMENTS.md` explains: requirements, defects that reviews found, and
/// the documents that stories come from.
struct RequirementsPage {
    static let path = "Sources/REQUIREMENTS.md"

    /// The first word of each row.
    let ids: Set<String>
    /// The patterns of the ids, with each digit as `#`: `G-##`, `FR-###`, `H#`.
    private let shapes: Set<String>

    init(text: String) {
        let ids = Set(text.split(separator: "\n").compactMap { Self.id(of: $0) })
        self.ids = ids
        self.shapes = Set(ids.map { Self.shape(of: $0) })
    }

    /// Whether a text has the pattern of an id but is not on the page.
    func lacks(_ id: String) -> Bool {
        shapes.contains(Self.shape(of: id)) && !ids.contains(id)
    }

    /// The id of a table's row; nil for other lines, and for a table's heading.
    private static func id(of line: Substring) -> String? {
        guard line.hasPrefix("| ") else { return nil }
        let word = line.dropFirst(2).prefix { $0 != " " && $0 != "|" }
        guard let first = word.first, first.isUppercase, word.contains(where: \.isNumber) else {
            return nil
        }
        return String(word)
    }

    private static func shape(of id: String) -> String {
        String(id.map { $0.isNumber ? "#" : $0 })
    }
}
