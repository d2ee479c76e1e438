import Foundation
import Testing

/// The gateway's public methods, read from the protos, so that none is forgotten.
enum PublicMethods {
    /// The mutating methods: all that are not marked idempotent, each as `Service/Method`.
    static func mutating() throws -> [String] {
        // This file is Repeats/PublicMethods.swift, possibly reached through a link.
        let file = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        let root = "/" + file.pathComponents.dropFirst().dropLast(4).joined(separator: "/")
        let folder = root + "/Protos/postern/gateway/v1"
        return try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".proto") }.sorted()
            .flatMap {
                mutating(in: try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8))
            }
    }

    /// The mutating methods of one file.
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

@Suite("G-25: methods without the idempotent option are mutating")
struct PublicMethodsTests {
    @Test("a method is mutating unless it has the idempotent option; other options do not count")
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
