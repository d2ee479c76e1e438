/// An operator's rules file (I-07, G-18): a collection that guests cannot write, a field with a
/// reason in two languages, and onboarding in two sections.
enum TestRules {
    static let text = """
        collections:
          profile:
            fields:
              name:
                type: text
                required: true
                reason: {en: "Friends see it.", de: "Freunde sehen ihn."}
              age:
                type: integer
                range: [13, 120]
                reason: {en: "From 13 on.", de: "Ab 13 Jahren."}
          orders:
            needs: account
        onboarding:
          sections:
            - name: you
              screens:
                - name: name
                  fields:
                    name: {to: profile.name}
                - name: age
                  fields:
                    age: {to: profile.age}
            - name: sleep
              screens:
                - name: bedtime
                  fields:
                    bedtime: {type: time, required: true, default: "22:30", to: goals.bedtime}
        """
}
