import ArgumentParser
import ServiceRuntime
import Storage

/// A kind of audit entries as an option names it, `session.started`, or a prefix, `session.*`.
struct AuditKindPattern {
    let text: String

    /// Whether it names `kind`.
    func selects(_ kind: String) -> Bool { AuditKind.matches(text, kind) }

    /// Refuses a text that names no kind: nothing would be found, which reads as if nothing had
    /// happened.
    /// - Throws: `ValidationError` with the kinds that are probably meant.
    func requireKnown() throws {
        let kinds = AuditKind.allCases.map(\.rawValue)
        guard !kinds.contains(where: selects) else { return }
        throw ValidationError("--kind \(text): there is no such kind; \(suggestion(among: kinds))")
    }

    private func suggestion(among kinds: [String]) -> String {
        let groups = Set(kinds.map { String($0.prefix { $0 != "." }) }).sorted().map { "\($0).*" }
        let typed = Array(text.lowercased().utf8)
        let similar = (kinds + groups).map { name in
            (distance: EditDistance.between(typed, name.utf8), name: name)
        }.filter { $0.distance <= max(2, typed.count / 3) }
        return EditDistance.suggestion(similar) ?? "the kinds are \(groups.joined(separator: ", "))"
    }
}
