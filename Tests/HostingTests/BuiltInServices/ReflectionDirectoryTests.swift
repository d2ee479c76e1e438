import Contracts
import Messages
import RPC
import ServiceRuntime
import Testing

@testable import Hosting

@Suite("Reflection: which services can be called")
struct ReflectionDirectoryTests {
    /// Every service that any program has.
    private static let services = [
        HealthDescription.service, ReflectionDescription.service, SessionsDescription.service,
        AccountsDescription.service, AuthDescription.service, LimitsDescription.service,
        NotificationsDescription.service,
    ]
    private let context = CallContext(deadline: .zero)
    private let directory = ReflectionDirectory(Self.services)

    @Test("all services are listed by their full names, in order")
    func list() throws {
        let names = try directory.listServices(ReflectionV1.ListServicesRequest(), context).services
        #expect(names == Self.services.map(\.name).sorted())
        #expect(names.contains("postern.session.v1.Sessions"))
    }

    @Test("each service's descriptor names all its methods", arguments: 0..<7)
    func describe(number: Int) throws {
        let service = Self.services[number]
        let set = try directory.describeService(
            ReflectionV1.DescribeServiceRequest(service: service.name), context
        ).fileDescriptorSet
        let text = String(decoding: set, as: UTF8.self)
        #expect(!service.methods.isEmpty)
        for method in service.methods {
            let name = try #require(method.name.split(separator: "/").last)
            #expect(text.contains(name))
        }
    }

    @Test("a service's set has the files that its own imports, then its own, and no other")
    func imports() throws {
        let directory = ReflectionDirectory([EmailsDescription.service, AuthDescription.service])
        let set = try directory.describeService(
            ReflectionV1.DescribeServiceRequest(service: EmailsDescription.service.name), context
        ).fileDescriptorSet
        var names: [String] = []
        var files = FieldScanner(set[...])
        while let file = try files.next() {
            guard case .bytes(let file) = file.value else { continue }
            var fields = FieldScanner(file)
            while let field = try fields.next() {
                if field.number == 1, case .bytes(let name) = field.value {
                    names.append(String(decoding: name, as: UTF8.self))
                }
            }
        }
        #expect(
            names
                == ["consents", "account", "gateway", "emails"].map {
                    "postern/gateway/v1/\($0).proto"
                })
    }

    @Test(
        "an unknown service is not found",
        arguments: [
            "", "postern.session.v1.Session", "postern.session.v1.sessions", "Sessions",
        ])
    func unknown(name: String) {
        let error = #expect(throws: ServiceError.self) {
            try directory.describeService(
                ReflectionV1.DescribeServiceRequest(service: name), context)
        }
        #expect(error?.code == .notFound)
        #expect(error?.fields == ["service"])
    }
}
