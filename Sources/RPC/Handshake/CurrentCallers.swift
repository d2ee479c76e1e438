import Synchronization

/// The applications that may currently call a server. Replaced as a whole when the files change,
/// and read by every connection.
final class CurrentCallers: Sendable {
    private struct State {
        var applications: Applications
        var permissions: [String: MethodPermissions]
    }

    private let methods: MethodTable
    private let state: Mutex<State>
    /// Incremented at each replacement, so that a connection detects one by comparing two numbers.
    let generation = Atomic<Int>(0)

    init(_ applications: Applications, methods: MethodTable) {
        self.methods = methods
        state = Mutex(
            State(
                applications: applications,
                permissions: Self.permissions(applications, methods)))
    }

    var applications: Applications { state.withLock { $0.applications } }

    /// The methods that the application of that name may call.
    func permissions(of name: String) -> MethodPermissions {
        state.withLock { $0.permissions[name] } ?? MethodPermissions([], of: [])
    }

    func replace(_ applications: Applications) {
        let permissions = Self.permissions(applications, methods)
        state.withLock { $0 = State(applications: applications, permissions: permissions) }
        generation.add(1, ordering: .releasing)
    }

    private static func permissions(
        _ applications: Applications, _ methods: MethodTable
    ) -> [String: MethodPermissions] {
        var permissions: [String: MethodPermissions] = [:]
        for application in applications.all {
            permissions[application.name] = MethodPermissions(
                application.methods, of: methods.names, namedOnly: methods.namedOnly,
                publicNames: methods.publicNames)
        }
        return permissions
    }
}
