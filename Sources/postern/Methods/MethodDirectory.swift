import ArgumentParser
import Contracts
import Messages
import RPC
import ServiceRuntime

/// The methods of services, by their full names, from the services' descriptors.
struct MethodDirectory: Sendable {
    private(set) var methods: [String: SchemaMethod] = [:]

    /// The methods of the running services, by reflection; nil if none responds.
    static func running(_ endpoints: Endpoints) async -> MethodDirectory? {
        let directories = await Endpoints.ofEach { service in
            // A service that does not respond is left out.
            try? await Caller(endpoints, service: service, connectTimeout: .milliseconds(700))
                .methodDirectory()
        }
        guard !directories.isEmpty else { return nil }
        return directories.values.reduce(into: MethodDirectory()) { all, directory in
            all.methods.merge(directory.methods) { first, _ in first }
        }
    }

    /// The methods that this build of the tool knows.
    static func compiled() -> MethodDirectory {
        var directory = MethodDirectory()
        for service in ServiceDescription.all {
            directory.add(service.name, service.fileDescriptorSet)
        }
        return directory
    }

    /// The error codes that a method has of its own, by the method's name. They are those of this
    /// build: reflection serves descriptors, which carry no comments.
    static let errors: [String: [String]] =
        ServiceDescription.all.reduce(into: [:]) { all, service in
            all.merge(service.errors) { first, _ in first }
        }

    /// Adds the methods of one service. A set also describes services that are in the same file.
    fileprivate mutating func add(_ service: String, _ fileDescriptorSet: [UInt8]) {
        // A service whose descriptors cannot be read is left out.
        guard let schema = try? Schema(fileDescriptorSet: fileDescriptorSet) else { return }
        for name in schema.methodNames where name.hasPrefix("\(service)/") {
            methods[name] = schema.method(named: name)
        }
    }

    /// The methods whose names contain `pattern` in any case, sorted.
    func matching(_ pattern: String) -> [SchemaMethod] {
        methods.values.filter { $0.name.lowercased().contains(pattern.lowercased()) }
            .sorted { $0.name < $1.name }
    }
}

// MARK: Misspelt names

extension MethodDirectory {
    /// Refuses a name on the command line that is no method, or SERVICE/* of no service.
    /// - Throws: `ValidationError`.
    func require(_ pattern: String) throws {
        let isKnown =
            pattern.hasSuffix("/*")
            ? methods.keys.contains { $0.hasPrefix(pattern.dropLast()) }
            : methods[pattern] != nil
        guard !isKnown else { return }
        let hint = suggestion(for: pattern) ?? "`postern methods` lists them"
        throw ValidationError("there is no method \(pattern); \(hint)")
    }

    /// `did you mean …?` for a name that is no method; nil for a method, or if none is similar
    /// (`SimilarMethods`).
    func suggestion(for name: String) -> String? {
        let similar = SimilarMethods.nearest(to: name, among: methods.keys)
        return EditDistance.suggestion(
            similar.enumerated().map { (distance: $0.offset, name: $0.element) })
    }
}

extension Caller {
    /// The methods of all services of the program, by reflection.
    func methodDirectory() async throws -> MethodDirectory {
        let reflection = ReflectionClient(client)
        var directory = MethodDirectory()
        for service in try await reflection.listServices(.init(), context).services {
            let described = try await reflection.describeService(.init(service: service), context)
            directory.add(service, described.fileDescriptorSet)
        }
        return directory
    }
}
