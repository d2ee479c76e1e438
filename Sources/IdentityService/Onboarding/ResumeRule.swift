/// Where a person resumes onboarding (G-18):
///
///     saved last      section to resume at
///     none            the first that is not done
///     not done        that one
///     done            the next one that is not done, after the last section from the first on
///     all are done    none
///
/// The screen is the one that the section's last save named.
enum ResumeRule {
    /// What counts of a section.
    struct Section: Hashable, Sendable {
        let name: String
        let isDone: Bool
        /// The screen of its last save; empty if none was named.
        let screen: String
        /// The position of its last save; nil if it was not saved.
        let savedAt: Int64?
    }

    /// The section and the screen to resume at; both empty if all are done.
    /// - Parameter sections: All sections, in order.
    static func place(_ sections: [Section]) -> (section: String, screen: String) {
        let last = sections.indices.filter { sections[$0].savedAt != nil }
            .max { (sections[$0].savedAt ?? 0) < (sections[$1].savedAt ?? 0) }
        let start = last ?? 0
        let inOrder = sections[start...] + sections[..<start]
        guard let next = inOrder.first(where: { !$0.isDone }) else { return ("", "") }
        return (next.name, next.screen)
    }
}
