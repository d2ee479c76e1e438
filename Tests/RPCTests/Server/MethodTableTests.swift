import Testing

@testable import RPC

@Suite("The table of methods")
struct MethodTableTests {
    private func table(_ count: Int) -> MethodTable {
        table((0..<count).map { "test.Many/M\($0)" })
    }

    private func table(_ names: [String]) -> MethodTable {
        let methods = names.map {
            MethodDescription(
                name: $0, isIdempotent: true, timeout: .seconds(1), isOnLoop: true)
        }
        return MethodTable([
            ServiceMethods(
                ServiceDescription(name: "test.Many", methods: methods, fileDescriptors: []),
                methods.map { method in
                    MethodHandler(
                        method: method, kind: .onLoop { _, _, _, _, _ in }, local: { _ in [] })
                })
        ])
    }

    private func entry(_ name: String, in table: MethodTable) -> MethodTable.Entry? {
        Array(name.utf8).withUnsafeBytes { table.entry($0) }
    }

    @Test("each method is found by its exact name", arguments: [0, 1, 2, 3, 100])
    func finds(count: Int) {
        let table = table(count)
        for index in 0..<count {
            #expect(entry("test.Many/M\(index)", in: table)?.index == index)
        }
        for other in ["", "M0", "test.Many/M", "test.Many/M\(count)", "test.Many/m0"] {
            #expect(entry(other, in: table) == nil)
        }
    }

    @Test("a method is also found by its former names, and counted as the same method")
    func formerNames() {
        let names = Array(Set(FormerMethodNames.current.values))
        let table = table(names)
        #expect(table.names == names)
        for (former, current) in FormerMethodNames.current {
            #expect(entry(former, in: table)?.index == names.firstIndex(of: current))
            #expect(entry(former, in: self.table(3)) == nil)
        }
    }
}
