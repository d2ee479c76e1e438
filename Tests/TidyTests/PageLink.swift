/// A link of a Markdown page to a file of the checkout.
struct PageLink {
    /// The page, from the root of the checkout.
    let page: String
    /// Counted from 1.
    let line: Int
    /// What a reader sees, in lower case.
    let words: String
    /// The file or folder that it leads to, from the root of the checkout.
    let path: String
    /// The heading in that file; nil without one.
    let anchor: String?

    /// The links of a page, without those to other sites.
    static func all(in text: String, of page: String) -> [PageLink] {
        let prose = withoutCode(text)
        return prose.matches(of: /\[([^\[\]]*)\]\(([^()\s]+)\)/).compactMap { match in
            let target = match.2
            guard !target.contains("://"), !target.hasPrefix("mailto:") else { return nil }
            let parts = target.split(
                separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            return PageLink(
                page: page, line: prose[..<match.range.lowerBound].count { $0 == "\n" } + 1,
                words: match.1.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                    .lowercased(),
                path: parts[0].isEmpty ? page : resolved(parts[0], from: page),
                anchor: parts.count > 1 ? String(parts[1]) : nil)
        }
    }

    /// The anchors of a page's headings, as GitHub makes them: in lower case, without punctuation,
    /// and with hyphens for spaces.
    static func anchors(of text: String) -> Set<String> {
        Set(
            withoutCode(text).split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
                let heading = line.drop { $0 == "#" }.dropFirst().lowercased()
                return String(
                    heading.filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
                        .map { $0 == " " ? "-" : $0 })
            })
    }

    /// A path that is relative to a page's folder, from the root.
    private static func resolved(_ target: Substring, from page: String) -> String {
        var folders = page.split(separator: "/").dropLast()
        for part in target.split(separator: "/") where part != "." {
            if part == ".." {
                _ = folders.popLast()
            } else {
                folders.append(part)
            }
        }
        return folders.joined(separator: "/")
    }

    /// The text with its blocks of code empty, so that lines keep their numbers.
    private static func withoutCode(_ text: String) -> String {
        var isCode = false
        var lines: [Substring] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let isFence = line.drop { $0 == " " }.hasPrefix("```")
            lines.append(isCode || isFence ? "" : line)
            if isFence { isCode.toggle() }
        }
        return lines.joined(separator: "\n")
    }
}
