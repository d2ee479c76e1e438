import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime

/// Lists and describes the services of this program, for tools.
struct ReflectionDirectory: ReflectionService {
    private let descriptors: [String: [UInt8]]

    init(_ services: [ServiceDescription]) {
        var descriptors: [String: [UInt8]] = [:]
        for service in services {
            descriptors[service.name] = Base64.decode(Array(service.fileDescriptorSet.utf8)) ?? []
        }
        self.descriptors = descriptors
    }

    func list(
        _ request: ReflectionV1.ListRequest, _ context: CallContext
    ) throws -> ReflectionV1.ListResponse {
        ReflectionV1.ListResponse(services: descriptors.keys.sorted())
    }

    func describe(
        _ request: ReflectionV1.DescribeRequest, _ context: CallContext
    ) throws -> ReflectionV1.DescribeResponse {
        guard let set = descriptors[request.service] else {
            throw ServiceError(.notFound, fields: ["service"])
        }
        return ReflectionV1.DescribeResponse(fileDescriptorSet: set)
    }
}
