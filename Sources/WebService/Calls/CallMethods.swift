import Contracts
import HTTPTypes
import Messages
package import RPC
package import ServiceRuntime

/// The methods that clients can call, by their names.
package struct CallMethods: Sendable {
    private var byName: [String: CallMethod] = [:]
    /// The names of the public methods, and of this program's own, for suggestions. An app may call
    /// no other.
    private var suggested: [String] = []

    /// The methods of the gateway's `services`, and those that this program implements: health,
    /// from whether `isServing`, and reflection of the services with a public method.
    /// - Throws: `SchemaError` if a descriptor set cannot be read, which the compiled ones can.
    package init(
        gateway services: [ServiceDescription] = ServiceDescription.ofGateway,
        isServing: @escaping @Sendable () -> Bool, time: any Time
    ) throws {
        for service in services {
            let schema = try Schema(fileDescriptorSet: service.fileDescriptorSet)
            for description in service.methods {
                guard let method = schema.method(named: description.name) else { continue }
                add(CallMethod(description, method), isSuggested: description.isPublic)
            }
        }
        let files = HealthService.file + ServerReflection.files
        let own = try Schema(fileDescriptorSet: files)
        let described = services.filter { $0.methods.contains(where: \.isPublic) }
        let reflection = try ServerReflection(
            services: described.map(\.name) + [HealthService.name] + ServerReflection.names,
            fileDescriptorSets: described.map(\.fileDescriptorSet) + [files])
        let health = HealthService(
            services: Set(services.map(\.name)), isServing: isServing, time: time)
        for method in health.methods(own) + reflection.methods(own) { add(method) }
    }

    private mutating func add(_ method: CallMethod, isSuggested: Bool = true) {
        let name = method.description.name
        byName[name] = method
        if isSuggested { suggested.append(name) }
    }

    /// The methods that the gateway answers.
    var ofGateway: [SchemaMethod] {
        byName.values.compactMap { if case .gateway = $0.target { $0.schema } else { nil } }
    }

    /// The method with that name, `postern.gateway.v1.Auth/SignOut`.
    subscript(name: some StringProtocol) -> CallMethod? { byName[String(name)] }

    /// The failure of a call of a name that is no method.
    func unknown(_ name: some StringProtocol) -> CallFailure {
        let similar = SimilarMethods.nearest(to: String(name), among: suggested).map { "/" + $0 }
        let hint =
            similar.isEmpty
            ? "Paths are /package.Service/Method, for example /postern.gateway.v1.Auth/SignOut."
            : "Did you mean \(similar.joined(separator: " or "))?"
        return CallFailure(.unknownMethod, "There is no such method. \(hint)", status: .notFound)
    }
}
