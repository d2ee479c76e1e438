/// Which message contains which, to find a recursive message.
struct ProtoGraph {
    private var holds: [String: Set<String>] = [:]

    init(_ sources: [ProtoSource]) {
        let messages = sources.flatMap(\.declarations).filter { $0.kind == .message }.map(\.name)
        let known = Set(messages)
        for message in messages { holds[message] = [] }
        for source in sources {
            for field in source.declarations where field.kind == .field {
                let owner = field.name.split(separator: ".").dropLast().joined(separator: ".")
                if let type = Self.resolve(field.type, inside: owner, among: known) {
                    holds[owner, default: []].insert(type)
                }
            }
        }
    }

    /// The messages that contain themselves, directly or not, sorted.
    func cycles() -> [String] {
        holds.keys.filter { reach(from: $0).contains($0) }.sorted()
    }

    private func reach(from start: String) -> Set<String> {
        var reached: Set<String> = []
        var waiting = Array(holds[start] ?? [])
        while let next = waiting.popLast() {
            guard reached.insert(next).inserted else { continue }
            waiting.append(contentsOf: holds[next] ?? [])
        }
        return reached
    }

    /// A type's full name: protobuf looks in the innermost scope first.
    private static func resolve(
        _ type: String, inside owner: String, among known: Set<String>
    ) -> String? {
        var scope = owner.split(separator: ".")
        while true {
            let candidate = (scope + [Substring(type)]).joined(separator: ".")
            if known.contains(candidate) { return candidate }
            if scope.isEmpty { return nil }
            scope.removeLast()
        }
    }
}
