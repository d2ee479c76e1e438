import Foundation
import Testing

/// The gateway's public methods as their protos have them, so that none is forgotten.
enum PublicMethods {
    /// Those that change something: all that are not marked idempotent, each as `Service/Method`.
    static func mutating() throws -> [String] {
        // Tests/GatewayServiceTests/Repeats/PublicMethods.swift, wherever a link to it lies.
        let file = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        let root = "/" + file.pathComponents.dropFirst().dropLast(4).joined(separator: "/")
        let folder = root + "/Protos/postern/gateway/v1"
        return try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".proto") }.sorted()
            .flatMap {
                mutating(in: try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8))
            }
    }

    /// Those of one file.
    static func mutating(in text: String) -> [String] {
        var service = ""
        var methods: [(name: String, isIdempotent: Bool)] = []
        for line in text.split(separator: "\n") {
            let words = line.split { " ({".contains($0) }
            switch words.first {
            case "service": service = String(words.dropFirst().first ?? "")
            case "rpc": methods.append(("\(service)/\(words.dropFirst().first ?? "")", false))
            case "option" where line.contains("(postern.options.v1.idempotent) = true"):
                guard let last = methods.indices.last else { continue }
                methods[last].isIdempotent = true
            default: break
            }
        }
        return methods.filter { !$0.isIdempotent }.map(\.name)
    }
}

@Suite("G-25: what the protos call mutating")
struct PublicMethodsTests {
    @Test("a method without the option is, with it or with another one it is not or is")
    func methods() {
        let text = """
            // rpc Comment(A) returns (B);
            service One {
              // First.
              rpc Change(ChangeRequest) returns (ChangeResponse);
              rpc Look(LookRequest) returns (LookResponse) {
                option (postern.options.v1.idempotent) = true;
                option (postern.options.v1.hedge_after_ms) = 100;
              }
              rpc Hash(HashRequest)
                  returns (HashResponse) {
                option (postern.options.v1.costly) = true;
              }
            }
            service Two {
              rpc Add(AddRequest) returns (AddResponse) {}
            }
            """
        #expect(PublicMethods.mutating(in: text) == ["One/Change", "One/Hash", "Two/Add"])
    }
}
