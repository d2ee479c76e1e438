import Testing

@testable import postern

@Suite("postern up: variables that no program has")
struct UnknownVariablesTests {
    private let known: Set = ["POSTERN_LINK_ORIGIN", "POSTERN_SMTP_PASSWORD"]

    @Test("a program's help lists its settings as flags, and secrets as variables")
    func help() {
        let text = """
            postern-x: does x

            Settings come from their defaults, then from a file (--config FILE).

              --config FILE
                  Reads settings from this file.
              --link-origin URL
                  Where links lead; --nothing.
              POSTERN_SMTP_PASSWORD (never a flag)
                  For the mail server.
            """
        #expect(
            UnknownVariables.settings(inHelp: text) == [
                "POSTERN_CONFIG", "POSTERN_LINK_ORIGIN", "POSTERN_SMTP_PASSWORD",
            ])
    }

    @Test("a misspelt variable is named with the similar one; known ones and ours are not")
    func misspelt() {
        let variables = ["POSTERN_LINK_ORIGEN", "POSTERN_LINK_ORIGIN", "POSTERN_ENDPOINTS"]
        #expect(
            UnknownVariables.warnings(variables, known: known) == [
                "POSTERN_LINK_ORIGEN is set, and no program has this setting; did you mean "
                    + "POSTERN_LINK_ORIGIN?"
            ])
        #expect(
            UnknownVariables.warnings(["POSTERN_COLOUR"], known: known)
                == ["POSTERN_COLOUR is set, and no program has this setting"])
    }
}
