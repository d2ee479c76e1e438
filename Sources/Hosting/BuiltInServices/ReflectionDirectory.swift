import Contracts
import Messages
import RPC
import ServiceRuntime

/// Lists and describes the services of this program, for tools.
struct ReflectionDirectory: ReflectionService {
    private let services: [ServiceDescription]

    init(_ services: [ServiceDescription]) { self.services = services }

    func listServices(
        _ request: ReflectionV1.ListServicesRequest, _ context: CallContext
    ) throws -> ReflectionV1.ListServicesResponse {
        ReflectionV1.ListServicesResponse(services: services.map(\.name).sorted())
    }

    func describeService(
        _ request: ReflectionV1.DescribeServiceRequest, _ context: CallContext
    ) throws -> ReflectionV1.DescribeServiceResponse {
        guard let service = services.first(where: { $0.name == request.service }) else {
            throw ServiceError(.notFound, fields: ["service"])
        }
        return ReflectionV1.DescribeServiceResponse(fileDescriptorSet: service.fileDescriptorSet)
    }
}
