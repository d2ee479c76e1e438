import Contracts
import Messages
import RPC
import ServiceRuntime

/// Lists and describes the services of this program, for tools.
struct ReflectionDirectory: ReflectionService {
    private let descriptors: [String: [UInt8]]

    init(_ services: [ServiceDescription]) {
        var descriptors: [String: [UInt8]] = [:]
        for service in services { descriptors[service.name] = service.fileDescriptorSet }
        self.descriptors = descriptors
    }

    func listServices(
        _ request: ReflectionV1.ListServicesRequest, _ context: CallContext
    ) throws -> ReflectionV1.ListServicesResponse {
        ReflectionV1.ListServicesResponse(services: descriptors.keys.sorted())
    }

    func describeService(
        _ request: ReflectionV1.DescribeServiceRequest, _ context: CallContext
    ) throws -> ReflectionV1.DescribeServiceResponse {
        guard let set = descriptors[request.service] else {
            throw ServiceError(.notFound, fields: ["service"])
        }
        return ReflectionV1.DescribeServiceResponse(fileDescriptorSet: set)
    }
}
