import Testing

/// One value has one message: a copy in another package needs code that copies its fields, and is
/// forgotten when a field is added.
@Suite("One message for one value")
struct TwinTests {
    @Test("no two messages of two fields or more, and no two enums, of two packages are equal")
    func twins() throws {
        #expect(
            Self.twins(of: try ProtoSource.all()) == [],
            "import the message of the one package, or of the public one, in the other")
    }

    @Test("a copied message and a copied enum are found")
    func planted() {
        let one = """
            package p.v1;
            message A {
              string name = 1;
              p.v1.B b = 2;
            }
            enum E {
              E_UNSPECIFIED = 0;
              E_ONE = 1;
            }
            """
        let other = """
            package q.v1;
            message Copy {
              B b = 2;
              string name = 1;
            }
            message Different {
              string name = 1;
              B b = 3;
            }
            enum E {
              E_UNSPECIFIED = 0;
              E_ONE = 1;
            }
            """
        let sources = [one, other].map { ProtoSource(path: "x", text: $0) }
        #expect(Self.twins(of: sources) == ["p.v1.A", "p.v1.E", "q.v1.Copy", "q.v1.E"])
    }

    @Test("no value of an enum is made from the number of an enum of another package")
    func casts() throws {
        let checkout = try Checkout.here.get()
        for path in checkout.written(below: "Sources/", suffix: ".swift") {
            #expect(Self.casts(in: try checkout.text(of: path)) == [], "\(path)")
        }
    }

    @Test(
        "a cast is found, also of a nested enum; what is made of a stored number is none",
        arguments: [
            ("a(GatewayV1.EndReason(rawValue: $0.reason.rawValue))", 1),
            ("GatewayV1.Session.State(\n    rawValue: state?.rawValue)", 1),
            ("GatewayV1.EndReason(rawValue: Int32(rawValue))", 0),
        ])
    func plantedCasts(code: String, count: Int) {
        #expect(Self.casts(in: code).count == count)
    }

    private static func casts(in text: String) -> [Substring] {
        text.matches(of: /V1(?:\.\w+)+\(\s*rawValue: [\w.$?]+\.rawValue\)/).map(\.output)
    }

    /// The names of messages and enums that are equal to one of another package. The types of their
    /// fields are compared without their packages.
    private static func twins(of sources: [ProtoSource]) -> Set<String> {
        var names: [[String]: [(name: String, package: String)]] = [:]
        for source in sources {
            for (name, parts) in contents(of: source) {
                names[parts, default: []].append((name, source.package))
            }
        }
        let equal = names.values.filter { Set($0.map(\.package)).count > 1 }
        return Set(equal.joined().map(\.name))
    }

    /// The enums of a file with their values, and its messages of two fields or more with their
    /// fields.
    private static func contents(of source: ProtoSource) -> [String: [String]] {
        var contents: [String: [String]] = [:]
        var enums: Set<String> = []
        for part in source.declarations where part.kind == .field || part.kind == .value {
            let name = part.name.split(separator: ".").last ?? ""
            let type = part.type.split(separator: ".").last ?? ""
            let owner = String(part.name.dropLast(name.count + 1))
            if part.kind == .value { enums.insert(owner) }
            contents[owner, default: []].append("\(part.number) \(name) \(type)")
        }
        return contents.mapValues { $0.sorted() }
            .filter { enums.contains($0.key) || $0.value.count > 1 }
    }
}
